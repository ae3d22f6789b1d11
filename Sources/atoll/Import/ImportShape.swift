import AtollObjects

/// What is known of a class before its data is read, from the options and the file: of which
/// properties the type, and which hold embedded objects.
struct ImportShape {
  let options: ImportOptions
  let className: String?
  private let existing: ExistingClasses

  init(
    options: ImportOptions = ImportOptions(), className: String? = nil,
    existing: ExistingClasses = ExistingClasses()
  ) {
    self.options = options
    self.className = className
    self.existing = existing
  }

  /// The class of the embedded objects of a property.
  func embeddedClass(of property: String) -> String? {
    if let option = options.embedded(property) { return option.target }
    guard let className, let target = existing[className]?[property]?.linkTarget,
      existing[target]?.isEmbedded == true
    else { return nil }
    return target
  }

  /// What is known of the embedded objects of a property; nil when it has none.
  func inside(_ property: String) -> ImportShape? {
    embeddedClass(of: property).map { target in
      ImportShape(options: options.inside(property), className: target, existing: existing)
    }
  }

  /// A property that not every value of a fitting kind has a place in, so that each has to be tried;
  /// nil for others.
  func exacting(_ property: String) -> PlannedProperty? {
    if let type = options.type(property) {
      return PlannedProperty(description: PropertySchema(property, type), source: .option)
    }
    guard let found = inFile(property) else { return nil }
    switch found.type {
    case .float, .decimal, .data, .objectID, .uuid: return PlannedProperty(description: found)
    default: return nil
    }
  }

  private func inFile(_ property: String) -> PropertySchema? {
    className.flatMap { existing[$0]?[property] }
  }
}
