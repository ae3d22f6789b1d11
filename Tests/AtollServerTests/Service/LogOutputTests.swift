#if Sync
import Foundation
import TestThreads
import Testing

@testable import AtollServer

@Suite(.computing) struct LogOutputTests {
  /// The reader of a log that was stopped held the server back.
  @Test func aPipeThatNobodyReadsHoldsNothingBack() throws {
    let pipe = Pipe()
    let output = LogOutput(pipe.fileHandleForWriting.fileDescriptor)
    let line = Array((String(repeating: "x", count: 999) + "\n").utf8)
    let count = 1_000
    for _ in 0..<count { output.write(line) }
    // All of what it took.
    var text = pipe.fileHandleForReading.availableData
    while text.count % line.count != 0 { text += pipe.fileHandleForReading.availableData }
    let taken = text.count / line.count
    #expect(taken > 10 && taken < count)
    output.write(line)
    output.write(line)
    let rest = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    let lines = rest.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first == "level=warning msg=\"lines were left out\" count=\(count - taken)")
  }
}
#endif
