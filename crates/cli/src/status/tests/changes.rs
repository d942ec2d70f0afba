//! Tests which requests the server accepts, and which accepted requests may change something.

use super::*;

#[tokio::test]
async fn only_known_host_names_are_answered() {
    let fixture = Fixture::new();
    let status_for_host = async |fixture: &Fixture, host: &str| {
        let mut request = request(Method::GET, "/", "");
        request.headers_mut().insert(HOST, host.parse().unwrap());
        fixture.send(request).await.status()
    };
    assert_eq!(status_for_host(&fixture, "127.0.0.1:7700").await, StatusCode::OK);
    assert_eq!(status_for_host(&fixture, "[::1]:7700").await, StatusCode::OK);
    assert_eq!(status_for_host(&fixture, "evil.example:7700").await, StatusCode::FORBIDDEN);
    let allowed_hosts = AllowedHosts::new(&["corpus.example".into()]);
    let named = Fixture::with(Hooks::default(), allowed_hosts);
    assert_eq!(status_for_host(&named, "corpus.example").await, StatusCode::OK);
}

#[tokio::test]
async fn changes_need_the_key_and_come_from_here() {
    let fixture = Fixture::new();
    let wish = || request(Method::POST, "/actions", "what=pause&host=bao.example");
    let paused = || fixture.store.host("bao.example").unwrap().unwrap().paused;
    assert_eq!(fixture.send(wish()).await.status(), StatusCode::FORBIDDEN);
    let mut wrong = wish();
    wrong.headers_mut().insert("authorization", "Bearer a key that nobody guesse".parse().unwrap());
    assert_eq!(fixture.send(wrong).await.status(), StatusCode::FORBIDDEN);
    for (name, value) in
        [("origin", "https://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")]
    {
        let mut elsewhere = with_cookie(wish());
        elsewhere.headers_mut().insert(name, value.parse().unwrap());
        assert_eq!(fixture.send(elsewhere).await.status(), StatusCode::FORBIDDEN, "{name}: {value}");
    }
    assert!(!paused());
    let mut ours = with_cookie(wish());
    ours.headers_mut().insert(ORIGIN, "http://localhost:7700".parse().unwrap());
    let response = fixture.send(ours).await;
    assert_eq!(
        (response.status(), &response.headers()[LOCATION]),
        (StatusCode::SEE_OTHER, &"/hosts/bao.example".parse().unwrap())
    );
    assert!(paused());
    let mut program = request(Method::POST, "/actions", "what=resume&host=bao.example");
    program.headers_mut().insert("authorization", format!("Bearer {TOKEN}").parse().unwrap());
    assert_eq!(fixture.send(program).await.status(), StatusCode::SEE_OTHER);
    assert!(!paused());
    for (body, status) in [
        ("what=pause&host=none.example", StatusCode::NOT_FOUND),
        ("what=burn&host=bao.example", StatusCode::BAD_REQUEST),
        ("what=crawl", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(
            fixture.send(with_cookie(request(Method::POST, "/actions", body))).await.status(),
            status,
            "{body}"
        );
    }
}

#[tokio::test]
async fn the_key_is_typed_once() {
    let fixture = Fixture::new();
    let typed = |key: &str, back: &str| {
        let encoded = key.replace(' ', "+");
        request(Method::POST, "/token", &format!("token={encoded}&back={back}"))
    };
    assert_eq!(fixture.send(typed("wrong", "/hosts")).await.status(), StatusCode::FORBIDDEN);
    let response = fixture.send(typed(TOKEN, "/hosts")).await;
    let cookie = response.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert_eq!(
        (response.status(), &response.headers()[LOCATION]),
        (StatusCode::SEE_OTHER, &"/hosts".parse().unwrap())
    );
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains(TOKEN),
        "{cookie}"
    );
    for elsewhere in ["//evil.example", "https://evil.example", "/%5Cevil.example"] {
        assert_eq!(fixture.send(typed(TOKEN, elsewhere)).await.headers()[LOCATION], "/", "{elsewhere}");
    }
    let page =
        text(fixture.send(with_cookie(request(Method::GET, "/hosts/bao.example?lang=en", ""))).await).await;
    assert!(page.contains(">Pause</button>"), "{page}");
    assert!(!fixture.page("/hosts/bao.example").await.contains("</button>"));
}
