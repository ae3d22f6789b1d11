internal import AtollObjects

/// One subscription on the server: the query for the objects in view of its clients.
package struct ViewQuery: Hashable, Comparable, Sendable {
  package var className: String
  /// A predicate of the query language.
  package var text: String

  package init(className: String, text: String) {
    self.className = className
    self.text = text
  }

  /// How many bytes its texts have.
  var byteCount: Int { className.utf8.count + text.utf8.count }

  /// The members of a set as views, each once.
  static func queries(_ members: [SetMember]) -> [ViewQuery] {
    Set(members.map { ViewQuery(className: $0.className, text: $0.query) }).sorted()
  }

  /// By bytes, as queries compare text and as `SetMember` does: Swift has one `==` for all
  /// spellings of a text, and users whose filters differ in spelling would share one view.
  package static func == (a: ViewQuery, b: ViewQuery) -> Bool {
    a.className.hasSameBytes(as: b.className) && a.text.hasSameBytes(as: b.text)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(className))
    hasher.combine(ExactText(text))
  }

  /// In the order of `SetMember`: devices find refused members and digests by their places.
  package static func < (a: ViewQuery, b: ViewQuery) -> Bool { a.member < b.member }

  private var member: SetMember { SetMember(className: className, query: text) }
}
