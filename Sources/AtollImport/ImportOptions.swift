package import AtollObjects

/// The user's options for the data.
package struct ImportOptions: Equatable {
  package var primaryKey: String?
  package var indexes: [String]
  /// Properties with a full-text index.
  package var fullTexts: [String]
  package var links: [LinkOption]
  package var listLinks: [LinkOption]
  /// Properties whose values are embedded objects.
  package var embedded: [LinkOption]
  package var types: [TypeOption]

  package init(
    primaryKey: String? = nil, indexes: [String] = [], fullTexts: [String] = [],
    links: [LinkOption] = [], listLinks: [LinkOption] = [], embedded: [LinkOption] = [],
    types: [TypeOption] = []
  ) {
    self.primaryKey = primaryKey
    self.indexes = indexes
    self.fullTexts = fullTexts
    self.links = links
    self.listLinks = listLinks
    self.embedded = embedded
    self.types = types
  }

  /// `PROPERTY=CLASS`: the property's values are primary keys of objects of the class.
  package struct LinkOption: Equatable {
    package var property: String
    package var target: String

    package init(property: String, target: String) {
      self.property = property
      self.target = target
    }
  }

  /// `PROPERTY=TYPE`: what the values of a property, or the elements of its lists and maps, are.
  package struct TypeOption: Equatable {
    package var property: String
    package var type: ValueType

    package init(property: String, type: ValueType) {
      self.property = property
      self.type = type
    }
  }

  func link(_ property: String) -> LinkOption? {
    links.first { $0.property.hasSameBytes(as: property) }
  }

  func listLink(_ property: String) -> LinkOption? {
    listLinks.first { $0.property.hasSameBytes(as: property) }
  }

  func embedded(_ property: String) -> LinkOption? {
    embedded.first { $0.property.hasSameBytes(as: property) }
  }

  func type(_ property: String) -> ValueType? {
    types.first { $0.property.hasSameBytes(as: property) }?.type
  }

  /// The options of the properties of the embedded objects in `property`, given as `property.name`.
  func inside(_ property: String) -> ImportOptions {
    let prefix = property + "."
    func names(_ options: [LinkOption]) -> [LinkOption] {
      options.filter { $0.property.hasPrefix(prefix) }.map {
        LinkOption(property: String($0.property.dropFirst(prefix.count)), target: $0.target)
      }
    }
    return ImportOptions(
      links: names(links), listLinks: names(listLinks), embedded: names(embedded),
      types: types.filter { $0.property.hasPrefix(prefix) }.map {
        TypeOption(property: String($0.property.dropFirst(prefix.count)), type: $0.type)
      })
  }

  /// Throws when two options give one property different meanings.
  package func validate() throws(ImportError) {
    let linked = links + listLinks + embedded
    let named = linked.map(\.property) + (primaryKey.map { [$0] } ?? [])
    for (index, property) in named.enumerated()
    where named[..<index].contains(where: property.hasSameBytes(as:)) {
      throw .request(.contradictingOptions(property: property))
    }
    let typed = types.map(\.property)
    for (index, property) in typed.enumerated()
    where typed[..<index].contains(where: property.hasSameBytes(as:))
      || linked.contains(where: { $0.property.hasSameBytes(as: property) })
    {
      throw .request(.contradictingOptions(property: property))
    }
  }
}
