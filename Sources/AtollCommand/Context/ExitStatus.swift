import AtollImport

/// The exit status of the process.
enum ExitStatus: Int32, Equatable {
  case success = 0
  /// The answer is no (a check has found faults), or data or file are bad.
  case failure = 1
  /// The command line, the query in it included, makes no sense.
  case usage = 2
}

/// An error that ends the command, in words for people.
struct CommandError: Error, Equatable, CustomStringConvertible {
  var message: String
  var status: ExitStatus

  init(_ message: String, status: ExitStatus = .failure) {
    self.message = message
    self.status = status
  }

  var description: String { message }
}

extension ImportError {
  /// Options that do not fit are bad usage, bad data is not.
  var status: ExitStatus {
    if case .request = self { .usage } else { .failure }
  }
}
