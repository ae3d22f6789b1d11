/// Bytes: one file, crash safe, many readers, one writer.
///
/// What this layer promises:
///
/// - When `WriteTransaction.commit` returns, the version is on the disk, unless less was asked for
///   (`Durability`). After a crash at any moment the file opens at the newest version that was on
///   the disk, or at a later one that is whole.
/// - A snapshot sees one version for as long as it lives, blocks no writer and
///   is blocked by none. Pages that no reader can see are used again, even
///   between two pinned versions.
/// - Bytes of the file are never trusted: a damaged page is an error that names
///   its block.
///
/// Reading order:
///
/// 1. `File/`: what is asked of the operating system: `DataFile`, `SystemCalls`. `Coordination/`:
///    what processes that use one file tell each other.
/// 2. `Page/`: what lies in the file: `PageReference`, `PageHeader`, `HeaderSlot`, `BranchPage`;
///    what checks, packs and encrypts it.
/// 3. `Read/`: `PageReader` lends the pages of one version, `StorageSnapshot` keeps it.
/// 4. `Space/`: `FreeSpace`, `RetiredRuns`; `SpaceLog` keeps both in the file.
/// 5. `Transaction/`: `PageStore`, `WriteTransaction` and its commit, `ReaderLane`, `Recovery`,
///    `GroupCommits`, `CommitWatch`.
/// 6. `Tree/`: `Tree` to read, `MutableTree` to write, `TreeDifference`; `KeyValueTree` for small
///    things; `Audit`, a walk over everything.
/// 7. `Compaction/`: `Compaction` makes a file shorter while it is used; `Relocation` moves pages.
///
/// The bytes are in Format.md.
public enum AtollStorage {
  /// The newest format that this library reads, and the one it writes.
  public static let formatVersion = HeaderSlot.formatVersion
}
