#if Sync
import Foundation
import Logging
import TestThreads
import Testing

@testable import AtollServer

@Suite(.computing) struct LineLogHandlerTests {
  private func lines(
    _ form: LineLogHandler.Form, level: Logger.Level = .info, _ body: (Logger) -> Void
  ) -> [String] {
    let lines = LogLines()
    body(
      Logger(label: "test") { _ in
        LineLogHandler(
          level: level, form: form, now: { 1_700_000_000_125 }, write: lines.write)
      })
    return lines.all
  }

  @Test func anEventIsALineOfPairs() {
    let lines = lines(.pairs) { logger in
      var logger = logger
      logger[metadataKey: "z"] = "last"
      logger.info("hello", metadata: ["b": "two words", "a": "1", "c": "", "d": "x=y"])
    }
    #expect(
      lines == [
        "time=2023-11-14T22:13:20.125Z level=info msg=hello a=1 b=\"two words\" c=\"\" d=\"x=y\" "
          + "z=last\n"
      ])
  }

  @Test func lowLevelsAreLeftOut() {
    let lines = lines(.pairs, level: .warning) { logger in
      logger.info("no")
      logger.error("yes")
    }
    #expect(lines.count == 1)
  }

  /// A log may be read in a terminal: what a client sends must not command it or begin a line.
  @Test func whateverIsLoggedStaysInItsLine() throws {
    let evil = "a\nb\r\u{1B}[2J\"\\\u{202E}\u{2028}\u{85}ü😀"
    for form in [LineLogHandler.Form.pairs, .json] {
      let line = try #require(
        lines(form) { $0.info("\(evil)", metadata: ["key": "\(evil)"]) }.first)
      let controls = line.unicodeScalars.dropLast().filter {
        $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
          || $0.properties.generalCategory == .lineSeparator
      }
      #expect(Array(controls) == [])
    }
  }

  @Test func anEventIsAJSONObject() throws {
    let evil = "a\nb\u{1B}\"\\\u{202E}ü😀"
    let line = try #require(lines(.json) { $0.info("hi", metadata: ["key": "\(evil)"]) }.first)
    let object = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    #expect(
      object == [
        "time": "2023-11-14T22:13:20.125Z", "level": "info", "msg": "hi", "key": evil,
      ])
  }
}
#endif
