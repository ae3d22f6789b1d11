import AtollObjects
import Testing

extension Database {
  /// Checks the file, and shows what is wrong.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let findings = try check().findings
    #expect(findings == [], sourceLocation: sourceLocation)
  }
}
