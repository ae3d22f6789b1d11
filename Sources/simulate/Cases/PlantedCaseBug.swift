/// A mistake that the library could have, planted to see that a simulation of single cases finds it.
enum PlantedCaseBug: String, CaseIterable {
  /// Pages are read without looking at their checksums.
  case unverifiedPage = "unverified-page"
  /// The printer of queries loses a character.
  case misprint
  /// Some cases end the process.
  case trap
  /// Some cases never end.
  case hang
  /// Some cases take memory without bounds.
  case hoard
}
