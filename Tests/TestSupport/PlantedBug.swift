/// A mistake that a store could have, made outside of it by lying to it.
///
/// A simulation proves something only if it finds each of these.
package enum PlantedBug: String, CaseIterable, Sendable {
  /// Every third synchronisation returns at once and makes nothing durable.
  case skippedSync = "skipped-sync"
  /// A full synchronisation makes the bytes durable and forgets the length.
  case lostLength = "lost-length"
  /// A process synchronises the length that it gave the file itself, and never again one that
  /// another did.
  case forgottenLength = "forgotten-length"
  /// A full commit also writes the header slot that holds the durable version before it.
  case reusedSlot = "reused-slot"
  /// A relaxed commit does, which no sync follows.
  case reusedDurableSlot = "reused-durable-slot"
  /// Recovery accepts a commit as whole without verifying the checksums of its pages.
  case unverifiedCommit = "unverified-commit"
  /// A page is read without looking at its checksum.
  case unverifiedPage = "unverified-page"
  /// A commit overwrites a page of the durable version, which is not yet replaced on the disk.
  case earlyReuse = "early-reuse"
  /// The writer's look at the reader table ends one pin too early.
  case missedPin = "missed-pin"
  /// A reader's pin states the minimum length for its version.
  case shortPin = "short-pin"
  /// A file is truncated to the length in a header slot before the slot is on the disk.
  case earlyCut = "early-cut"
}
