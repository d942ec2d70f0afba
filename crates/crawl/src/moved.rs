//! Finds sites that have moved: the front page redirects to a site that is not among the seeds.

use crate::render::language::Bilingual;
use gleaner_frontier::{CanonicalUrl, Outcome, Seed};
use gleaner_store::{Store, StoreError};

/// Maximum number of redirects within the site before the redirect to the other site.
const MAX_HOPS: usize = 5;

/// The target of a seed that redirects to another site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSite {
    /// The host with the page that redirects to the other site.
    pub from: String,
    /// The front page of the other site's host, such as `https://www.new.example/`.
    pub to: String,
    /// The other site's registrable domain.
    pub site: String,
    /// The origin of the seed, such as `seeds.txt line 3`.
    pub origin: String,
}

impl MovedSite {
    /// Follows the stored redirects of a seed. Returns `None` if they do not lead out of scope.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) fn of_seed(store: &Store, seed: &Seed) -> Result<Option<Self>, StoreError> {
        let mut url = seed.url.clone();
        for _ in 0..=MAX_HOPS {
            let to = match store.url(url.key())?.and_then(|record| record.last) {
                Some(Outcome::Redirected { to }) => to,
                Some(Outcome::RedirectRefused { to, reason }) if reason == "out_of_scope" => {
                    let target = CanonicalUrl::from_record(&to).ok();
                    return Ok(target.map(|target| Self::new(seed, &url, &target)));
                }
                _ => return Ok(None),
            };
            match CanonicalUrl::from_record(&to) {
                Ok(target) => url = target,
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    fn new(seed: &Seed, from: &CanonicalUrl, target: &CanonicalUrl) -> Self {
        Self {
            from: from.host().to_owned(),
            to: format!("{}://{}/", target.url().scheme(), target.host()),
            site: target.domain().to_owned(),
            origin: seed.origin(),
        }
    }

    /// Describes the redirect in words.
    #[must_use]
    pub fn describe(&self) -> Bilingual {
        let Self { to, site, .. } = self;
        Bilingual::new(
            format!(
                "its front page redirects to {to}; the site has moved, or {site} needs a seed of its own"
            ),
            format!(
                "trang chủ chuyển hướng đến {to}; trang báo đã đổi địa chỉ, hoặc cần thêm {site} vào danh sách"
            ),
        )
    }

    /// Returns the command that shows what a crawl of the other site would find.
    #[must_use]
    pub fn command(&self) -> String {
        format!("gleaner seeds check {}", self.to)
    }
}
