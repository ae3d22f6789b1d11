import ArgumentParser
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// Inputs that a fuzzer found once, and what they are tried with.
@Suite(.computing) struct FuzzTests {
  /// The folders of inputs; each has the name of what they are.
  private static let folders = "\(GoldenFiles.packageFolder)/Tests/simulateTests/Inputs"

  /// Fixed findings stay fixed.
  @Test(arguments: FuzzInputs.paths(in: [folders]))
  func inputsAreAnsweredOrRefused(folder: String) throws {
    let name = folder.split(separator: "/").last.map(String.init) ?? ""
    let target = try #require(FuzzTarget(rawValue: name), "no kind of input has this name")
    let trial = try target.makeTrial()
    let paths = FuzzInputs.paths(in: [folder])
    #expect(!paths.isEmpty)
    for path in paths {
      #expect(throws: Never.self, "\(path)") { _ = try trial(FuzzInputs.read(path)) }
    }
  }

  /// Seeds are right inputs and such that are almost right: some of each.
  @Test(arguments: FuzzTarget.sound)
  func seedsAreAnsweredOrRefused(target: FuzzTarget) throws {
    let trial = try target.makeTrial()
    let seeds = try target.makeSeeds()
    #expect(seeds.count > 100)
    #expect(seeds.allSatisfy { $0.count <= target.byteLimit })
    let tried = stride(from: 0, to: seeds.count, by: seeds.count / 30).map { seeds[$0] }
    var rightCount = 0
    for seed in tried {
      #expect(throws: Never.self, "\(String(decoding: seed, as: UTF8.self))") {
        if try trial(seed).isRight { rightCount += 1 }
      }
    }
    #expect((3...tried.count - 3).contains(rightCount), "\(rightCount) of \(tried.count)")
  }

  @Test func theCanaryIsHeard() throws {
    let trial = try FuzzTarget.canary.makeTrial()
    #expect(throws: (any Error).self) { _ = try trial(Array("atol!".utf8)) }
    #expect(try !trial(Array("atoll".utf8)).isRight)
  }

  /// A short line can stand for a message of megabytes: that many bytes were given.
  @Test func whatIsGivenIsCountedAsItIsSent() throws {
    let trial = try FuzzTarget.message.makeTrial()
    let outcomes = try (0..<10).map { try trial(Array("bomb 12 \($0)\n".utf8)) }
    #expect(outcomes.contains { $0.givenByteCount > 1 << 20 })
  }

  @Test(arguments: [("/no/input", "there is no /no/input"), ("/", "/ is a folder")])
  func whatIsNoInputIsNamed(path: String, message: String) {
    do {
      _ = try FuzzInputs.read(path)
      Issue.record("\(path) was read")
    } catch { #expect("\(error)".hasPrefix(message), "\(error)") }
  }

  @Test func memoryWithoutBoundsIsFound() {
    var peak = 1 << 30
    var meter = MemoryMeter(beginPeak: { peak }, peakByteCount: { peak })
    meter.begin()
    peak += MemoryMeter.baseByteCount
    #expect(meter.excess(inputByteCount: 0) == nil)
    peak += 1
    #expect(meter.excess(inputByteCount: 0)?.byteCount == MemoryMeter.baseByteCount + 1)
    // The memory limit grows with the input.
    #expect(meter.excess(inputByteCount: 1) == nil)
    meter.begin()
    #expect(meter.excess(inputByteCount: 0) == nil)
  }

  /// The memory of one case does not hide that of the next one.
  @Test func thePeakIsCountedAgain() async {
    await #expect(processExitsWith: .success) {
      func take(_ byteCount: Int) -> Int {
        let start = ProcessLimits.beginPeak()
        let taken = [UInt8](repeating: 1, count: byteCount)
        precondition(taken.reduce(0) { $0 &+ Int($1) } == byteCount, "every byte is one")
        return ProcessLimits.peakByteCount - start
      }
      precondition(take(128 << 20) > 120 << 20, "all that is taken is seen")
      precondition(take(64 << 20) > 60 << 20, "what was taken before hides nothing")
    }
  }

  @Test(arguments: [
    (["fuzz", "file"], "name inputs"), (["fuzz", "query", "--seconds", "5"], "go together"),
    (["fuzz", "query", "x", "--findings", "y"], "go together"),
    (["fuzz", "query", "--seconds", "0", "--corpus", "x"], "at least 1"),
    (["fuzz", "query", "--seconds", "5", "--corpus", "x"], "without libFuzzer"),
    (["fuzz", "verse", "x"], "verse"),
  ])
  func wrongArgumentsAreRefused(arguments: [String], words: String) {
    do {
      _ = try Simulate.parseAsRoot(arguments)
      Issue.record("\(arguments) are taken")
    } catch { #expect(Simulate.fullMessage(for: error).contains(words)) }
  }

  /// In processes of their own, as the command limits what its process may take.
  @Test func inputsAreTriedOnce() throws {
    func run(_ arguments: [String]) throws -> (lines: [String], ending: ChildProcess.Ending) {
      let child = try ChildProcess(ChildProcess.path(ofProgram: "simulate"), ["fuzz"] + arguments)
      var lines: [String] = []
      while let line = try? child.receive() { lines.append(line) }
      return (lines, child.waitForEnd())
    }
    let folder = TemporaryFolder()
    try FuzzInputs.write(Array("Person\nage > 3".utf8), to: folder.path(of: "a"))
    try FuzzInputs.write(Array("Person\nage >".utf8), to: folder.path(of: "b"))
    let sound = try run(["query", folder.path])
    #expect(sound.lines == ["fuzz query 2, right 1, violations 0"])
    #expect(sound.ending == .status(0))
    try FuzzInputs.write(Array("atol!".utf8), to: folder.path(of: "c"))
    let found = try run(["canary", folder.path])
    #expect(found.lines == ["fuzz canary 3, right 0, violations 1"])
    #expect(found.ending == .status(1))
    for path in [folder.path(of: "none"), TemporaryFolder().path] {
      #expect(try run(["query", path]).ending != .status(0))
    }
  }

  // MARK: Edits of files

  @Test func anEditChangesWhatItSays() throws {
    let image = try FileEdits.makeSample(0).image
    let page = try #require(image.nodes.firstIndex { $0.header.kind == .rowGroup })
    func edited(_ text: String) throws -> FileImage {
      let bytes = try #require(FileEdits(Array(text.utf8)).apply(to: image))
      return try FileImage(bytes, key: nil)
    }
    #expect(FileEdits([]).apply(to: image) == image.bytes)
    // The pages are found again, each in its place.
    let old = image.nodes[page].payload
    let place = old.count - 1
    let new = try edited("set \(page) \(place) 1 \(old[place] ^ 1)").nodes
    let changed = new.filter { $0.reference.block == image.nodes[page].reference.block }
    #expect(changed.map(\.payload) == [old.dropLast() + [old[place] ^ 1]])
    #expect(try edited("raw 5 1 65").bytes[5] == 65)
  }

  @Test(
    arguments: [
      "set 999999 999999 9 99999999999999999999", "add 1", "length 2 -99999", "header", "child 0 1",
      "slot 7 5000 8 -1", "raw 18446744073709551615 8 1", "salvage", "\u{0} \n\n set",
      "set -1 -1 -1 -1", "sample 1\nset 5 5 5 5", "sample 9\nadd 3 0 4 1", "sample 77",
    ])
  func editsBeyondWhatThereIsAreTaken(text: String) throws {
    let edits = FileEdits(Array(text.utf8))
    #expect((0..<FileEdits.sampleCount).contains(edits.sample))
    _ = edits.apply(to: try FileEdits.makeSample(edits.sample).image)
  }

  /// A slot with changed content keeps a valid checksum, so that its content is read.
  @Test(arguments: [0, 1]) func slotsAreSealedAgain(sample: Int) throws {
    let sample = try FileEdits.makeSample(sample)
    let block = sample.image.slots[0].blockNumber
    let key = try sample.key.map { try EncryptionKey($0, path: "") }
    func reading(_ text: String) throws -> HeaderSlot.Reading {
      let bytes = try #require(FileEdits(Array(text.utf8)).apply(to: sample.image))
      let start = Int(block) * Block.byteCount
      return HeaderSlot.read(Array(bytes[start..<start + Block.byteCount]), at: block, key: key)
    }
    // The marks of the sectors are those of the transaction that the slot names.
    guard case .valid(let older) = try reading("slot 0 16 8 77") else {
      Issue.record("a slot of another transaction reads as \(try reading("slot 0 16 8 77"))")
      return
    }
    #expect(older.transaction == 77)
    guard case .valid(let slot) = try reading("slot 0 112 8 0") else {
      Issue.record("a slot of which nothing is durable reads as \(try reading("slot 0 112 8 0"))")
      return
    }
    #expect(slot.durable == 0)
  }
}
