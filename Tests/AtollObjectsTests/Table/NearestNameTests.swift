import AtollObjects
import TestThreads
import Testing

/// A name is proposed when it is near, and none when anything would be.
@Suite(.computing) struct NearestNameTests {
  // Name, candidates, the nearest. Without the type the compiler takes seconds.
  private static let cases: [(String, [String], String?)] = [
    ("titel", ["title", "berths"], "title"), ("Titel", ["title"], "title"), ("X", ["x", "y"], "x"),
    ("x", ["y", "z"], nil), ("n", ["id", "no"], "no"), ("nn", ["n"], "n"),
    ("di", ["id", "x"], "id"),
    ("ab", ["xy", "ay"], "ay"), ("population", ["name", "id"], nil), ("", ["a", "b"], nil),
  ]

  @Test(arguments: cases)
  func findsWhatIsNear(name: String, candidates: [String], nearest: String?) {
    #expect(NearestName.find(name, among: candidates) == nearest)
  }
}
