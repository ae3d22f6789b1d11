/// A bug of the library, planted to verify that a simulation of single cases finds it.
enum PlantedCaseBug: String, CaseIterable {
  /// Pages are read without looking at their checksums.
  case unverifiedPage = "unverified-page"
  /// The printer of queries loses a character.
  case misprint
  /// An import that was checked first leaves what came before an error.
  case partialImport = "partial-import"
  /// An import leaves the end of the data out.
  case lostRecord = "lost-record"
  /// The digits of a decimal go through a double.
  case roundedDecimal = "rounded-decimal"
  /// Names that Unicode takes for one are one.
  case mergedNames = "merged-names"
  /// An object is copied twice for two that lead to it.
  case secondCopy = "second-copy"
  /// A property that a dictionary leaves out gets its default in an object that is there.
  case resetValue = "reset-value"
  /// Checks of what a peer says that are left out: see `PeerFault`.
  case anyUser = "any-user"
  case anyWriter = "any-writer"
  case halfBatch = "half-batch"
  case anyAnswer = "any-answer"
  case anyClass = "any-class"
  /// What a program did is undone or left out: an element that was appended, an object that was
  /// made, the refresh of a realm, the cancellation of a write.
  case lostElement = "lost-element"
  case lostObject = "lost-object"
  case staleRead = "stale-read"
  case keptWrite = "kept-write"
  /// Some cases end the process.
  case trap
  /// Some cases never end.
  case hang
  /// Some cases take memory without bounds.
  case hoard

  /// The subcommand whose cases have it; nil for all.
  var command: String? {
    switch self {
    case .unverifiedPage: "files"
    case .misprint: "text"
    case .partialImport, .lostRecord, .roundedDecimal, .mergedNames: "data"
    case .secondCopy, .resetValue: "graphs"
    case .anyUser, .anyWriter, .halfBatch, .anyAnswer, .anyClass: "messages"
    case .lostElement, .lostObject, .staleRead, .keptWrite: "api"
    case .trap, .hang, .hoard: nil
    }
  }

  /// Those that the cases of one subcommand alone have.
  static func bugs(of command: String) -> [PlantedCaseBug] {
    allCases.filter { $0.command == command }
  }
}
