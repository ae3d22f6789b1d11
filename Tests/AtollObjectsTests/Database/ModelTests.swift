import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Random transactions, compared with a dictionary model after every one of them.
@Suite(.computing) struct ModelTests {
  @Test(arguments: seeds(12))
  func agreesInMemory(seed: UInt64) throws {
    let database = try Database.inMemory()
    var run = ModelRun(seed: seed)
    try run.begin(database)
    for step in 0..<8 {
      try run.step(database)
      if step % 3 == 2 { try run.check(database) }
    }
    try run.releaseAll()
    try run.compare(database)
    try run.check(database)
  }

  @Test(arguments: seeds(4))
  func agreesAfterEveryReopen(seed: UInt64) throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "model.atoll")
    var run = ModelRun(seed: seed &+ 1 << 32)
    let database = try run.workReopening(path)
    let copyPath = folder.path(of: "copy.atoll")
    try database.writeCompactCopy(to: copyPath)
    let copy = try Database.open(copyPath, options: .init(mode: .readOnly))
    try run.compare(copy)
    try run.check(copy)
  }
}
