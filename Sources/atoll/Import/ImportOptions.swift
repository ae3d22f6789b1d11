/// What the user says of the data, apart from the data itself.
struct ImportOptions: Equatable {
  var primaryKey: String?
  var indexes: [String] = []
  /// Properties with a full-text index.
  var fullTexts: [String] = []
  var links: [LinkOption] = []
  var listLinks: [LinkOption] = []

  /// `PROPERTY=CLASS`: the property's values are primary keys of objects of the class.
  struct LinkOption: Equatable {
    var property: String
    var target: String
  }

  func link(_ property: String) -> LinkOption? { links.first { $0.property == property } }

  func listLink(_ property: String) -> LinkOption? {
    listLinks.first { $0.property == property }
  }

  /// Throws when two options give one property different meanings.
  func validate() throws(ImportError) {
    let named = links.map(\.property) + listLinks.map(\.property) + (primaryKey.map { [$0] } ?? [])
    for (index, property) in named.enumerated() where named[..<index].contains(property) {
      throw .request(.contradictingOptions(property: property))
    }
  }
}
