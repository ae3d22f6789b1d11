import AtollImport

@testable import AtollCommand

/// Text that a command has written.
final class MemorySink: ByteSink {
  let terminalWidth: Int?
  private(set) var bytes: [UInt8] = []

  init(terminalWidth: Int? = nil) {
    self.terminalWidth = terminalWidth
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func write(_ bytes: some Sequence<UInt8>) throws(SystemError) {
    self.bytes.append(contentsOf: bytes)
  }

  func flush() throws(SystemError) {}
}
