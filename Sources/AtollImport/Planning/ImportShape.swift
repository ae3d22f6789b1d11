import AtollObjects

/// The properties of a class that are known before its data is read, from the options and the file:
/// their types, and which hold embedded objects.
///
/// It belongs to a class, not to a place in the data: an option for `home.lat` applies to the `lat`
/// of all objects of the class of `home`, at every depth and in every property.
struct ImportShape {
  /// The options for the class; for the record's class all of them.
  var options: ImportOptions { saidOfClasses[ExactText(className ?? "")] ?? ImportOptions() }
  let className: String?
  /// A property of embedded objects, with its class, of which the options say different things.
  let contradiction: (className: String, property: String)?
  private let existing: ExistingClasses
  private let saidOfClasses: [ExactText: ImportOptions]

  init(
    options: ImportOptions = ImportOptions(), className: String? = nil,
    existing: ExistingClasses = ExistingClasses()
  ) {
    self.className = className
    self.existing = existing
    saidOfClasses = Self.said(options, of: className ?? "", existing)
    contradiction = Self.contradiction(in: saidOfClasses, except: className ?? "")
  }

  private init(inside shape: ImportShape, className: String) {
    self.className = className
    existing = shape.existing
    saidOfClasses = shape.saidOfClasses
    contradiction = shape.contradiction
  }

  /// Brings each option to the class of the objects that it is about.
  ///
  /// The recursion ends because the remaining path is shorter by a name.
  private static func said(
    _ options: ImportOptions, of className: String, _ existing: ExistingClasses
  ) -> [ExactText: ImportOptions] {
    var said = [ExactText(className): options]
    var waiting = [className]
    while let owner = waiting.popLast() {
      guard let options = said[ExactText(owner)] else { continue }
      var targets = options.embedded.map { (property: $0.property, target: $0.target) }
      for property in existing[owner]?.properties ?? [] {
        guard let target = property.linkTarget, existing[target]?.isEmbedded == true else {
          continue
        }
        targets.append((property.name, target))
      }
      for (property, target) in targets
      where said[ExactText(target), default: ImportOptions()].add(options.inside(property)) {
        waiting.append(target)
      }
    }
    return said
  }

  private static func contradiction(
    in said: [ExactText: ImportOptions], except root: String
  ) -> (className: String, property: String)? {
    let classes = said.map { (name: $0.key.text, options: $0.value) }.sorted { $0.name < $1.name }
    for (className, options) in classes where !className.hasSameBytes(as: root) {
      do throws(ImportError) { try options.validate() } catch {
        if case .request(.contradictingOptions(let property)) = error {
          return (className, property)
        }
      }
    }
    return nil
  }

  /// The class of the embedded objects of a property.
  func embeddedClass(of property: String) -> String? {
    if let option = options.embedded(property) { return option.target }
    guard let target = inFile(property)?.linkTarget, existing[target]?.isEmbedded == true else {
      return nil
    }
    return target
  }

  /// The shape of the embedded objects of a property; nil when it has none.
  func inside(_ property: String) -> ImportShape? {
    embeddedClass(of: property).map { ImportShape(inside: self, className: $0) }
  }

  /// A property that not every value of a fitting kind has a place in, so that each has to be
  /// tried; nil for others.
  func exacting(_ property: String) -> PlannedProperty? {
    if let type = options.type(property) {
      return PlannedProperty(description: PropertySchema(property, type), source: .option)
    }
    // Keys that data may give as text.
    if let keyType = keyType(property), keyType == .objectID || keyType == .uuid {
      return PlannedProperty(description: PropertySchema(property, keyType.type), keyType: keyType)
    }
    guard let found = inFile(property) else { return nil }
    switch found.type {
    case .float, .double, .decimal, .data, .objectID, .uuid:
      return PlannedProperty(description: found)
    default: return nil
    }
  }

  /// Whether an index holds the values of a property: it is a key, names one, or is indexed.
  func isKey(_ property: String) -> Bool {
    isPrimaryKey(property) || options.indexes.contains(where: property.hasSameBytes(as:))
      || inFile(property)?.isIndexed == true || linkedClass(property) != nil
  }

  private func isPrimaryKey(_ property: String) -> Bool {
    guard let className else { return false }
    let isPlaceholder = existing.isPlaceholder(className)
    let inFile = isPlaceholder ? nil : existing[className]
    let name = inFile == nil ? options.primaryKey : inFile?.primaryKey
    return name.map(property.hasSameBytes(as:)) ?? false
  }

  /// The class that a property leads to by its primary keys.
  private func linkedClass(_ property: String) -> String? {
    if let option = options.link(property) ?? options.listLink(property) { return option.target }
    guard let target = inFile(property)?.linkTarget, existing[target]?.isEmbedded == false else {
      return nil
    }
    return target
  }

  /// The type of the primary key that a property is or names, if it is known before the data.
  private func keyType(_ property: String) -> KeyType? {
    let target = isPrimaryKey(property) ? className : linkedClass(property)
    guard let target else { return nil }
    if let found = existing[target].flatMap(KeyType.init(of:)) { return found }
    // Of the options only those for the records name a primary key.
    guard let options = saidOfClasses[ExactText(target)], let primaryKey = options.primaryKey
    else { return nil }
    return options.type(primaryKey).flatMap(KeyType.init(_:))
  }

  private func inFile(_ property: String) -> PropertySchema? {
    className.flatMap { existing[$0]?[property] }
  }
}

extension ImportOptions {
  /// Adds what others say of embedded objects.
  ///
  /// - Returns: whether there was something new.
  fileprivate mutating func add(_ other: ImportOptions) -> Bool {
    let old = self
    links += other.links.filter { !links.contains($0) }
    listLinks += other.listLinks.filter { !listLinks.contains($0) }
    embedded += other.embedded.filter { !embedded.contains($0) }
    types += other.types.filter { !types.contains($0) }
    return self != old
  }
}
