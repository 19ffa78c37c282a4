//! Whatever happened and however it travelled, all replicas end with one memory.

use super::actions::{Player, actions};
use memlore_testing::Carelessness;
use proptest::prelude::*;

/// So many cases, unless PROPTEST_CASES asks for another number.
pub(super) fn config(cases: u32) -> ProptestConfig {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: wanted.unwrap_or(cases), max_shrink_iters: 400, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(16))]

    /// Equal sets, equal bytes, what plain maps say, and the one Automerge document that all changes form.
    #[test]
    fn any_delivery_of_any_operations_converges(replicas in 2..=5_usize, actions in actions(30)) {
        let mut player = Player::new(replicas);
        for action in &actions {
            player.play(action);
        }
        player.net.settle();
    }

    /// One segment for each operation, and the files in any order, twice, late, under other names.
    #[test]
    fn segments_in_any_order_converge(actions in actions(12)) {
        let mut player = Player::new(2);
        let all: Vec<_> = player.net.all().collect();
        for action in &actions {
            player.play(action);
            all.iter().for_each(|at| drop(player.net.exchange(*at)));
        }
        for _ in 0..3 {
            player.net.carry(all[0], all[1], Carelessness::Great);
            player.net.carry(all[1], all[0], Carelessness::Great);
        }
        player.net.settle();
    }

    /// At any moment, not only in the end.
    #[test]
    fn replicas_that_have_seen_the_same_show_the_same(replicas in 2..=4_usize, actions in actions(20)) {
        let mut player = Player::new(replicas);
        for action in &actions {
            player.play(action);
            player.net.assert_equal_vectors_mean_equal_bytes();
        }
    }
}
