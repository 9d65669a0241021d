//! Names of the indexes and aliases of a collection.

use crate::corpus::{Scope, sha256_hex};

/// Hexadecimal digits of a tenant's hash in a name.
const TENANT_DIGITS: usize = 16;

/// Names of one tenant.
#[derive(Debug, Clone)]
pub(super) struct Names {
    prefix: String,
    tenant: String,
}

impl Names {
    pub(super) fn of_tenant(prefix: &str, tenant: &str) -> Self {
        let mut hash = sha256_hex(tenant.as_bytes());
        hash.truncate(TENANT_DIGITS);
        Self { prefix: prefix.to_owned(), tenant: hash }
    }

    pub(super) fn of(prefix: &str, scope: &Scope) -> Self {
        Self::of_tenant(prefix, scope.tenant())
    }

    /// Alias of the generation that is searched; with `*` the pattern of all, with nothing the beginning of all.
    pub(super) fn alias(&self, collection: &str) -> String {
        format!("{}-current-{}-{collection}", self.prefix, self.tenant)
    }

    /// Index of a generation. The number stands first, so that no collection's name can look like another's.
    pub(super) fn index(&self, collection: &str, generation: u32) -> String {
        format!("{}-{generation:08}-{}-{collection}", self.prefix, self.tenant)
    }

    /// Pattern of all generations, which other indexes may match too; [`Names::number`] tells them apart.
    pub(super) fn pattern(&self, collection: &str) -> String {
        format!("{}-*-{}-{collection}", self.prefix, self.tenant)
    }

    /// Number of a generation by the name of its index.
    pub(super) fn number(&self, collection: &str, index: &str) -> Option<u32> {
        let digits = index
            .strip_prefix(&format!("{}-", self.prefix))?
            .strip_suffix(&format!("-{}-{collection}", self.tenant))?;
        (digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_digit()))
            .then(|| digits.parse().ok())?
    }

    /// Index of the vectors that an interrupted build has made.
    pub(super) fn vectors(&self, collection: &str) -> String {
        format!("{}-vectors-{}-{collection}", self.prefix, self.tenant)
    }

    /// Index that says who builds.
    pub(super) fn builds(&self) -> String {
        format!("{}-builds", self.prefix)
    }

    /// Id of a collection in [`Names::builds`].
    pub(super) fn build(&self, collection: &str) -> String {
        format!("{}-{collection}", self.tenant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_of_other_collections_are_not_taken() {
        let names = Names::of_tenant("assay", "acme");
        let index = names.index("docs", 7);
        assert_eq!(names.number("docs", &index), Some(7));
        assert_eq!(names.number("docs", &names.vectors("docs")), None);
        assert_eq!(names.number("docs", &names.alias("docs")), None);
        let nested = names.index(&format!("x-{}-docs", names.tenant), 7);
        assert_eq!(names.number("docs", &nested), None);
        assert_eq!(Names::of_tenant("assay", "Acme").number("docs", &index), None);
    }
}
