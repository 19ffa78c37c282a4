use super::MarkerDecision::{Adopt, Make, Missing, Refuse, Use};
use super::*;

const OURS: StoreId = StoreId([1; 16]);
const ALSO_OURS: StoreId = StoreId([2; 16]);
const FOREIGN: StoreId = StoreId([8; 16]);
const OTHER: StoreId = StoreId([9; 16]);

const HERE: Marker = Marker::Store(OURS);
const THEIRS: Marker = Marker::Store(FOREIGN);

/// A share that is there, with these markers.
fn share<const N: usize>(markers: [Marker; N]) -> MarkerFacts {
    MarkerFacts {
        there: true,
        markers: markers.into(),
        accepted: [OURS, ALSO_OURS].into(),
        ..Default::default()
    }
}

fn adopt<const N: usize>(stores: [StoreId; N]) -> MarkerDecision {
    Adopt(stores.into())
}

fn named(facts: MarkerFacts) -> MarkerFacts {
    MarkerFacts { named: true, ..facts }
}

fn empty(facts: MarkerFacts) -> MarkerFacts {
    MarkerFacts { empty: true, ..facts }
}

fn with_files_of_ours(facts: MarkerFacts) -> MarkerFacts {
    MarkerFacts { own_files: true, segments: true, ..facts }
}

fn with_files_of_those_we_know(facts: MarkerFacts) -> MarkerFacts {
    MarkerFacts { known_files: true, segments: true, ..facts }
}

fn with_segments_of_others(facts: MarkerFacts) -> MarkerFacts {
    MarkerFacts { segments: true, ..facts }
}

fn of_a_new_store(facts: MarkerFacts) -> MarkerFacts {
    MarkerFacts { accepted: BTreeSet::new(), ..facts }
}

#[track_caller]
fn check(facts: MarkerFacts, wanted: MarkerDecision) {
    assert_eq!(decide(&facts), wanted, "{facts:#?}");
}

#[test]
fn a_marker_of_an_accepted_store_is_enough() {
    check(share([HERE]), Use);
    check(share([Marker::Store(ALSO_OURS)]), Use);
    check(share([HERE, Marker::Store(ALSO_OURS)]), Use);
    check(named(share([HERE])), Use);
    check(share([HERE, Marker::Unreadable]), Use);
}

#[test]
fn of_several_markers_one_of_ours_brings_the_others() {
    check(share([HERE, THEIRS]), adopt([FOREIGN]));
    check(share([THEIRS, Marker::Store(ALSO_OURS), Marker::Store(OTHER)]), adopt([FOREIGN, OTHER]));
}

#[test]
fn a_foreign_marker_over_our_own_files_is_adopted() {
    check(with_files_of_ours(share([THEIRS])), adopt([FOREIGN]));
    check(with_files_of_ours(of_a_new_store(share([THEIRS]))), adopt([FOREIGN]));
}

#[test]
fn any_other_foreign_marker_is_refused_even_when_the_share_is_named() {
    let refused = || Refuse(Refusal::Foreign([FOREIGN].into()));
    check(share([THEIRS]), refused());
    check(with_segments_of_others(share([THEIRS])), refused());
    check(named(share([THEIRS])), refused());
    check(named(share([THEIRS, Marker::Unreadable])), refused());
}

#[test]
fn a_new_store_joins_the_share_that_somebody_names() {
    check(named(of_a_new_store(share([THEIRS]))), adopt([FOREIGN]));
    check(named(of_a_new_store(share([THEIRS, Marker::Store(OTHER)]))), adopt([FOREIGN, OTHER]));
    check(of_a_new_store(share([THEIRS])), Refuse(Refusal::NotNamed));
}

#[test]
fn a_marker_is_made_only_in_a_named_share_that_is_nobody_elses() {
    check(named(empty(share([]))), Make);
    check(named(empty(of_a_new_store(share([])))), Make);
    check(named(with_files_of_ours(share([]))), Make);
    check(named(with_segments_of_others(share([]))), Refuse(Refusal::NoMarkerYet));
    check(named(share([])), Refuse(Refusal::NotEmpty));
}

#[test]
fn without_a_marker_nothing_happens_in_the_background() {
    check(share([]), Missing);
    check(empty(share([])), Missing);
    check(with_files_of_ours(share([])), Missing);
}

#[test]
fn a_share_that_is_not_there_is_missing_whatever_else_is_said() {
    let gone = MarkerFacts { there: false, ..share([]) };
    check(gone.clone(), Missing);
    check(named(empty(gone)), Missing);
}

#[test]
fn an_unreadable_marker_is_waited_for_and_never_overwritten() {
    check(share([Marker::Unreadable]), Refuse(Refusal::Unreadable));
    check(named(share([Marker::Unreadable])), Refuse(Refusal::Unreadable));
    check(named(with_files_of_ours(share([Marker::Unreadable]))), Refuse(Refusal::Unreadable));
}

#[test]
fn a_share_of_a_later_format_is_left_alone() {
    check(share([Marker::Newer(2)]), Refuse(Refusal::Newer(2)));
    check(named(with_files_of_ours(share([HERE, Marker::Newer(3)]))), Refuse(Refusal::Newer(3)));
}

#[test]
fn a_lost_marker_is_made_again_where_a_replica_we_know_has_been() {
    check(with_files_of_those_we_know(share([])), Missing);
    check(named(with_files_of_those_we_know(share([]))), Make);
    check(named(with_files_of_those_we_know(share([THEIRS]))), Refuse(Refusal::Foreign([FOREIGN].into())));
}
