//! Groups outcomes into families. Charts then need only a few colors, and every color has a name.

use gleaner_frontier::Class;
use gleaner_store::Counts;

use crate::asked::Asked;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    New,
    Duplicate,
    NoArticle,
    Listing,
    Redirected,
    Refused,
    Failed,
}

impl Family {
    /// All families, in the order in which a bar stacks them from bottom to top.
    pub(crate) const ALL: [Self; 7] = [
        Self::New,
        Self::Duplicate,
        Self::NoArticle,
        Self::Listing,
        Self::Redirected,
        Self::Refused,
        Self::Failed,
    ];

    /// Returns the family of an outcome with this reason, or `None` if no outcome has this reason.
    pub(crate) fn of(reason: &str) -> Option<Self> {
        Some(match Class::from_reason(reason)? {
            Class::Stored => Self::New,
            Class::Duplicate => Self::Duplicate,
            Class::NotArticle | Class::Excluded => Self::NoArticle,
            Class::Listing => Self::Listing,
            Class::Redirected | Class::RedirectRefused => Self::Redirected,
            Class::Disallowed | Class::Gone => Self::Refused,
            Class::Unreachable | Class::Failed => Self::Failed,
        })
    }

    pub(crate) fn sums(counts: &Counts) -> [u64; Self::ALL.len()] {
        let mut sums = [0; Self::ALL.len()];
        for (reason, count) in &counts.outcomes {
            if let Some(family) = Self::of(reason) {
                sums[family as usize] += count;
            }
        }
        sums
    }

    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Duplicate => "duplicate",
            Self::NoArticle => "no-article",
            Self::Listing => "listing",
            Self::Redirected => "redirected",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    pub(crate) const fn name(self, asked: &Asked) -> &'static str {
        match self {
            Self::New => asked.say("new or changed", "mới hoặc đã sửa"),
            Self::Duplicate => asked.say("duplicate", "trùng"),
            Self::NoArticle => asked.say("no article for the corpus", "không phải bài cần lấy"),
            Self::Listing => asked.say("listing or unchanged", "trang mục hoặc không đổi"),
            Self::Redirected => asked.say("redirected", "chuyển hướng"),
            Self::Refused => asked.say("disallowed or gone", "bị cấm hoặc đã gỡ"),
            Self::Failed => asked.say("failed", "thất bại"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_in_one_family() {
        let outcomes = [
            ("stored", 1),
            ("revised", 2),
            ("failed: dns", 4),
            ("rejected: http_403", 8),
            ("gone: http_404", 16),
        ];
        let counts = Counts {
            outcomes: outcomes.map(|(reason, count)| (reason.into(), count)).into(),
            ..Counts::default()
        };
        assert_eq!(Family::sums(&counts), [3, 0, 0, 0, 0, 16, 12]);
        assert!(Family::ALL.iter().enumerate().all(|(at, family)| *family as usize == at));
    }
}
