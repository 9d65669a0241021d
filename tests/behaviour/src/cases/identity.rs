//! Nobody sees what belongs to somebody else: sessions of other principals, anything of other tenants.

use assay_domain::{Code, Identity, Outcome, QueryType, Question, SessionId};
use assay_wire::from_status;

use super::Case;
use super::answers::declared;
use crate::harness::{BUDGET, Harness, somebody, stranger};

/// Cases for a system that holds the guide and where a test may speak for anybody.
pub const ALL: &[Case<Harness>] = crate::cases![
    another_principals_session_is_not_found,
    another_tenant_sees_no_chunks_sessions_or_records,
    another_principal_of_the_tenant_sees_only_own_records,
];

async fn another_principals_session_is_not_found(system: &Harness) {
    let session = SessionId::parse("identity-of-bob");
    let question = Question { session, ..Question::new("How do loops work in AVAP?") };
    let bob = system.put_as(&somebody("bob"), &question).await.unwrap();
    assert_eq!(bob.outcome, Outcome::Answered);
    let failure = system.put_as(&somebody("eve"), &question).await.unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (Code::NotFound, "session_id"));
    assert_eq!(assay_wire::http_status(failure.code), 404);
}

async fn another_tenant_sees_no_chunks_sessions_or_records(system: &Harness) {
    let session = SessionId::parse("identity-shared-name");
    let question = Question {
        session,
        ..declared("How do I read a request parameter in AVAP and return it?", QueryType::Retrieval)
    };
    let ours = system.put(&question).await;
    assert_eq!(ours.outcome, Outcome::Answered);
    system.record(ours.audit_id).await;
    let other = stranger("elsewhere");
    let status = system.put_within(&other, &question, BUDGET).await.unwrap_err();
    let failure = from_status(&status);
    assert_eq!((failure.code, failure.field.as_str()), (Code::NotFound, "collection"), "they have none");
    let theirs = status.metadata().get("assay-audit-id").unwrap().to_str().unwrap().to_owned();
    let found = system.search(&other, "addParam").await.unwrap_err();
    assert_eq!((found.code, found.field.as_str()), (Code::NotFound, "collection"));
    let failure = system.get_record(&other, &ours.audit_id.to_string()).await.unwrap_err();
    assert_eq!(failure.code, Code::NotFound);
    assert_eq!(system.record_as(&other, &theirs).await.outcome, Outcome::Failed);
    let all = system.records(&other).await.unwrap();
    assert!(all.iter().all(|record| record.identity.tenant == "elsewhere"));
    assert!(all.iter().any(|record| record.audit_id.to_string() == theirs));
    let local = system.records(&Identity::local()).await.unwrap();
    assert!(local.iter().all(|record| record.identity.tenant == Identity::local().tenant));
}

async fn another_principal_of_the_tenant_sees_only_own_records(system: &Harness) {
    let (bob, eve) = (somebody("bob"), somebody("eve"));
    let answer = system.put_as(&bob, &Question::new("How do loops work in AVAP?")).await.unwrap();
    system.record_as(&bob, answer.audit_id).await;
    let failure = system.get_record(&eve, &answer.audit_id.to_string()).await.unwrap_err();
    assert_eq!(failure.code, Code::NotFound);
    assert!(system.records(&eve).await.unwrap().iter().all(|record| record.identity.principal == "eve"));
    system.record_as(&Identity::local(), answer.audit_id).await;
}
