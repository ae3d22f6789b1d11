#if Sync
import Foundation
import Logging
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

  /// A line that is longer than what a pipe takes at once would wait for its reader.
  @Test(arguments: [LineLogHandler.Form.pairs, .json])
  func longLinesAreCutInTheirValues(form: LineLogHandler.Form) throws {
    let lines = LogLines()
    let logger = Logger(label: "test") { _ in
      LineLogHandler(level: .info, form: form, now: { 0 }, write: lines.write)
    }
    let long = "a" + String(repeating: "\u{301}\u{1}", count: 5_000)
    logger.info("x", metadata: ["a": "\(long)", "b": "\(long)", "c": "short"])
    logger.info("y", metadata: ["d": "\(String(repeating: "z", count: 2_000))"])
    let (first, second) = (try #require(lines.all.first), try #require(lines.all.last))
    #expect(first.utf8.count <= LogOutput.lineByteLimit && first.contains("short"))
    #expect(second.utf8.count > 2_000)
    if form == .json {
      let values = try JSONDecoder().decode([String: String].self, from: Data(first.utf8))
      #expect(values["c"] == "short" && values["a"]?.hasSuffix("…") == true)
    }
  }

  @Test func whatWasLeftOutIsToldInTheFormOfTheLines() throws {
    let pipe = Pipe()
    let output = LogOutput(pipe.fileHandleForWriting.fileDescriptor)
    let line = Array((#"{"msg":""# + String(repeating: "x", count: 3_000) + "\"}\n").utf8)
    for _ in 0..<100 { output.write(line) }
    var text = pipe.fileHandleForReading.availableData
    while text.count % line.count != 0 { text += pipe.fileHandleForReading.availableData }
    output.write(line)
    let rest = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    let notice = try #require(rest.split(separator: "\n").first)
    let values = try JSONDecoder().decode([String: String].self, from: Data(notice.utf8))
    #expect(values["count"] == "\(100 - text.count / line.count)")
  }
}
#endif
