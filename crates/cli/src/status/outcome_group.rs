//! Groups outcomes for charts, so that charts need only a few colors and every color has a name.

use gleaner_frontier::OutcomeClass;
use gleaner_store::Counts;

use crate::status::request::PageRequest;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OutcomeGroup {
    New,
    Duplicate,
    NotArticle,
    Listing,
    Redirected,
    DisallowedOrGone,
    Failed,
}

impl OutcomeGroup {
    /// All groups, in the order in which a bar stacks them from bottom to top.
    pub(crate) const ALL: [Self; 7] = [
        Self::New,
        Self::Duplicate,
        Self::NotArticle,
        Self::Listing,
        Self::Redirected,
        Self::DisallowedOrGone,
        Self::Failed,
    ];

    /// Returns the group of an outcome with this reason, or `None` if no outcome has this reason.
    pub(crate) fn from_reason(reason: &str) -> Option<Self> {
        Some(match OutcomeClass::from_reason(reason)? {
            OutcomeClass::Stored => Self::New,
            OutcomeClass::Duplicate => Self::Duplicate,
            OutcomeClass::NotArticle | OutcomeClass::Excluded => Self::NotArticle,
            OutcomeClass::Listing => Self::Listing,
            OutcomeClass::Redirected | OutcomeClass::RedirectRefused => Self::Redirected,
            OutcomeClass::Disallowed | OutcomeClass::Gone => Self::DisallowedOrGone,
            OutcomeClass::Unreachable | OutcomeClass::Failed => Self::Failed,
        })
    }

    pub(crate) fn sums(counts: &Counts) -> [u64; Self::ALL.len()] {
        let mut sums = [0; Self::ALL.len()];
        for (reason, count) in &counts.outcomes {
            if let Some(group) = Self::from_reason(reason) {
                sums[group as usize] += count;
            }
        }
        sums
    }

    pub(crate) const fn css_class(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Duplicate => "duplicate",
            Self::NotArticle => "no-article",
            Self::Listing => "listing",
            Self::Redirected => "redirected",
            Self::DisallowedOrGone => "refused",
            Self::Failed => "failed",
        }
    }

    pub(crate) const fn name(self, request: &PageRequest) -> &'static str {
        match self {
            Self::New => request.translate("new or changed", "mới hoặc đã sửa"),
            Self::Duplicate => request.translate("duplicate", "trùng"),
            Self::NotArticle => request.translate("no article for the corpus", "không phải bài cần lấy"),
            Self::Listing => request.translate("listing or unchanged", "trang mục hoặc không đổi"),
            Self::Redirected => request.translate("redirected", "chuyển hướng"),
            Self::DisallowedOrGone => request.translate("disallowed or gone", "bị cấm hoặc đã gỡ"),
            Self::Failed => request.translate("failed", "thất bại"),
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
        assert_eq!(OutcomeGroup::sums(&counts), [3, 0, 0, 0, 0, 16, 12]);
        assert!(OutcomeGroup::ALL.iter().enumerate().all(|(at, group)| *group as usize == at));
    }
}
