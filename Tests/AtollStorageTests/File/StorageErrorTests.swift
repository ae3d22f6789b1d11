import AtollStorage
import TestThreads
import Testing

@Suite(.computing) struct StorageErrorTests {
  static let sentences: [(StorageError, String)] = [
    (
      .valueTooLarge(byteCount: 17, limit: 16),
      "a value of 17 bytes is longer than the limit of 16 bytes"
    ),
    (
      .readerTableFull(limit: 1024, processID: 47, slotCount: 1000),
      "all 1024 reader slots are in use, 1000 of them by process 47: "
        + "end snapshots of older versions there"
    ),
    (
      .moved(path: "/a/b", .gone),
      "/a/b was deleted or moved while it was open, and nothing more is written to it; "
        + "close it, and open the file where it is now"
    ),
    (
      .moved(path: "/a/b", .replaced),
      "/a/b leads to another file than the one that is open, to which nothing more is written; "
        + "close it and open it again"
    ),
    (.notADatabase(path: "/a/b"), "/a/b is not an Atoll database"),
    (
      .empty(path: "/a/b"),
      "/a/b is empty: a database was never finished in it; delete it, or open it so that a database is made"
    ),
    (
      .corrupted(block: 12, .checksum(stored: 1, computed: 0xABC)),
      "the page at block 12 is damaged: its checksum is 0x0000000000000001 "
        + "but its bytes give 0x0000000000000abc"
    ),
    (
      .corrupted(block: 3, .structure(.keysOutOfOrder)),
      "the page at block 3 is damaged: its keys are not in ascending order"
    ),
    (
      .io(operation: .resize, path: "/a/b", errno: 28),
      "cannot resize /a/b: No space left on device (error 28)"
    ),
    (
      .closed(path: "/a/b", failedSync: 5),
      "/a/b is closed because synchronizing it failed: Input/output error (error 5); "
        + "open it again to go on"
    ),
  ]

  @Test(arguments: sentences)
  func anErrorIsASentence(_ error: StorageError, _ sentence: String) {
    #expect(error.description == sentence)
  }

  @Test func aNumberTheSystemDoesNotKnowIsStillASentence() {
    let error = StorageError.io(operation: .read, path: "x", errno: -12_345)
    #expect(error.description.hasPrefix("cannot read x: "))
  }
}
