use super::*;

fn file(first: u64, last: u64, weight: u64) -> OwnFile {
    OwnFile { path: format!("{first}to{last}"), run: Run { first, last }, weight }
}

/// A folder to which runs are added, merged as is due; counts how much is written again.
#[derive(Default)]
struct Folder {
    files: Vec<OwnFile>,
    last: u64,
    written_again: u64,
}

impl Folder {
    fn publish(&mut self, records: u64) {
        let first = self.last + 1;
        self.last += records;
        self.files.push(file(first, self.last, records * 288));
        let kept = self.files.clone();
        let (files, _) = needed(&kept);
        for run in runs_to_merge(&files, Merging::WhenDue) {
            self.written_again += run.records();
            let mut first = run.first;
            while first <= run.last {
                let last = run.last.min(first + 65_535);
                self.files.push(file(first, last, (last - first + 1) * 288));
                first = last + 1;
            }
        }
        let kept = self.files.clone();
        let (_, superseded) = needed(&kept);
        self.files.retain(|file| !superseded.contains(&file));
    }
}

#[test]
fn any_history_leaves_few_files_and_rewrites_each_record_a_few_times() {
    let regular: [fn(u64) -> u64; 5] = [
        |_| 1,
        |turn| 1 + turn % 9,
        |turn| if turn % 8 == 0 { 8 } else { 1 },
        |turn| if turn % 40 == 39 { 3_000 } else { 1 },
        |turn| 1_000_u64.saturating_sub(turn).max(1),
    ];
    for (which, records) in regular.into_iter().enumerate() {
        let mut folder = Folder::default();
        let mut most = 0;
        for turn in 0..3_000 {
            folder.publish(records(turn));
            let not_full = folder.files.iter().filter(|file| !full(file)).count();
            most = most.max(not_full);
        }
        let carried = folder.files.iter().map(|file| file.run);
        assert!(missing(carried, Run { first: 1, last: folder.last }).is_empty(), "nothing is lost");
        assert!(most <= ENOUGH + 16, "history {which}: {most} files");
        assert!(folder.written_again <= 17 * folder.last, "history {which}: {}", folder.written_again);
    }
}

#[test]
fn seven_files_out_of_eight_times_nothing_is_merged() {
    let mut folder = Folder::default();
    let mut merges = 0;
    for _ in 0..800 {
        let before = folder.written_again;
        folder.publish(1);
        merges += u32::from(folder.written_again > before);
    }
    assert!(merges <= 100, "{merges}");
}

#[test]
fn full_files_and_gaps_are_never_merged_over() {
    let full = file(11, 20, FULL);
    let files = [file(1, 5, 1), file(6, 10, 1), full, file(21, 21, 1), file(23, 24, 1), file(25, 25, 1)];
    let files: Vec<&OwnFile> = files.iter().collect();
    let runs = runs_to_merge(&files, Merging::Now);
    assert_eq!(runs, [Run { first: 1, last: 10 }, Run { first: 23, last: 25 }]);
}

#[test]
fn of_files_that_carry_each_other_one_stays() {
    let files = [file(1, 9, 1), file(2, 3, 1), file(9, 12, 1), file(8, 10, 1)];
    let twin = OwnFile { path: "another".to_owned(), ..file(1, 9, 1) };
    let files = [files.as_slice(), &[twin]].concat();
    let (needed, superseded) = needed(&files);
    let paths = |files: &[&OwnFile]| files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&needed), ["1to9", "9to12"]);
    assert_eq!(paths(&superseded), ["another", "8to10", "2to3"]);
}

#[test]
fn what_no_file_carries_is_missing() {
    let run = |first, last| Run { first, last };
    let carried = [run(6, 7), run(1, 3), run(2, 2)];
    assert_eq!(missing(carried, run(1, 9)), [run(4, 5), run(8, 9)]);
    assert_eq!(missing(carried, run(1, 7)), [run(4, 5)]);
    assert_eq!(missing(carried, run(5, 5)), [run(5, 5)]);
    assert_eq!(missing([], run(1, 2)), [run(1, 2)]);
    assert_eq!(missing(carried, run(1, 0)), []);
    assert_eq!(missing([run(1, u64::MAX)], run(3, u64::MAX)), []);
}
