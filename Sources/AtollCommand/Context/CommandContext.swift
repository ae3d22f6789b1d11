import AtollCapture
import AtollImport
import AtollObjects
import AtollStorage

/// The world of a subcommand: the two outputs and the clocks.
struct CommandContext {
  let output: any ByteSink
  let errors: any ByteSink
  let now: () -> ContinuousClock.Instant
  /// The time of day, to say how long ago something was.
  let secondsSince1970: () -> UInt64

  /// The real world.
  static func standard() -> CommandContext {
    CommandContext(
      output: DescriptorSink.standardOutput(), errors: DescriptorSink.standardError(),
      now: { ContinuousClock.now }, secondsSince1970: SystemCalls.secondsSince1970)
  }

  /// Reads all of standard input as text.
  ///
  /// - Throws: ``CommandError`` for more bytes than a text may have here, and for what is no UTF-8;
  ///   `SystemError` when it cannot be read.
  func readInput() throws -> String {
    let source = try FileSource(path: "-")
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try source.read(into: &buffer, at: 0..<buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
      guard bytes.count <= Self.inputByteLimit else {
        throw CommandError("standard input has more than \(Self.inputByteLimit) bytes")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError("standard input is no UTF-8")
    }
    return text
  }

  private static let inputByteLimit = 64 << 20

  /// Writes a line for people on standard error.
  func note(_ text: String) throws {
    try errors.write(text + "\n")
    try errors.flush()
  }

  /// Writes a JSON object on a line of its own.
  func writeJSON(_ entries: [OutputValue.Entry]) throws {
    var writer = JSONWriter()
    writer.value(.map(entries))
    writer.endLine()
    try output.write(writer.bytes)
  }

  /// Opens a database for reading, does `body` and closes it.
  func withDatabase<Result>(
    _ file: DatabaseArgument, _ body: (Database) throws -> Result
  ) throws -> Result {
    try withDatabase(file.path, options: try file.options(mode: .readOnly), body)
  }

  /// Opens a database, does `body` and closes it, also after an error.
  ///
  /// Reports on standard error if opening fell back to an older version and, when writing, if
  /// another process does not end its transaction.
  func withDatabase<Result>(
    _ path: String, options: Database.Options, _ body: (Database) throws -> Result
  ) throws -> Result {
    let database = try Database.open(path, options: options.recording())
    let result: Result
    do {
      try noteOpening(of: database)
      let notice = options.mode == .readOnly ? nil : WriterNotice(database)
      defer { notice?.end() }
      result = try body(database)
    } catch {
      // The first error is the one to report.
      try? database.close()
      throw error
    }
    try database.close()
    return result
  }

  /// Reports if the newest version of the file is not whole, and was discarded.
  ///
  /// After a power cut nothing is lost by that. But it may be damage, and the next transaction
  /// overwrites the evidence.
  func noteOpening(of database: Database) throws {
    guard case .rolledBack(let from, let to) = database.opening else { return }
    try note(
      "atoll: note: version \(from) of '\(printable(database.path))' is not whole, after a crash "
        + "or by damage; went back to version \(to)")
  }

  /// As `withDatabase`, with one version of it.
  func withSnapshot<Result>(
    _ file: DatabaseArgument, _ body: (Snapshot) throws -> Result
  ) throws -> Result {
    try withDatabase(file) { try body(try $0.snapshot()) }
  }
}

/// A progress bar on standard error, or nothing when that is no terminal.
final class ProgressDisplay {
  private let context: CommandContext
  private var bar: ProgressBar?
  private var label: String?

  init(_ context: CommandContext) {
    self.context = context
  }

  deinit { finish() }

  /// Shows how far the work called `label` is; another label begins another bar.
  func show(_ label: String, unit: ProgressBar.Unit, done: Int, total: Int?) {
    if label != self.label {
      finish()
      self.label = label
      bar = context.errors.terminalWidth.map {
        ProgressBar(label: label, unit: unit, total: total, width: $0, start: context.now())
      }
    }
    draw(bar?.update(done: done, now: context.now()))
  }

  /// Shows which share of the work called `label` is done.
  func show(_ label: String, share: Double) {
    let whole = 1_000_000
    show(label, unit: .shares, done: Int(min(1, max(0, share)) * Double(whole)), total: whole)
  }

  func finish() {
    draw(bar?.finish())
    bar = nil
    label = nil
  }

  private func draw(_ text: String?) {
    guard let text else { return }
    // A bar that cannot be drawn is no reason to stop the work.
    try? context.errors.write(text)
    try? context.errors.flush()
  }
}
