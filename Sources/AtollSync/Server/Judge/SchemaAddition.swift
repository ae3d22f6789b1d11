internal import AtollCapture
internal import AtollObjects

/// The additions of a device's or a configuration's classes to those of the store.
struct SchemaAddition {
  private(set) var classes: [ClassSchema] = []
  private(set) var properties: [(property: PropertySchema, className: String)] = []

  var isEmpty: Bool { classes.isEmpty && properties.isEmpty }

  /// Compares classes with those of the store.
  ///
  /// `source`: where they come from, in words.
  ///
  /// - Throws: The first conflict of type, optionality or key, with both sides named, or the first
  ///   new name that none can have.
  init(
    _ additions: [ClassSchema], to schema: Schema, source: String = "on the device"
  ) throws(SchemaConflict) {
    func conflict(
      _ name: String, of place: SchemaConflict.Place, _ own: String, server: String
    ) -> SchemaConflict {
      SchemaConflict("\(name) is \(own) \(source) and \(server) on the server", at: place)
    }
    // By their bytes, as a store has them. Two names that are one text are a conflict.
    var spelled = Dictionary(
      schema.tables.map { ($0.name, $0.name) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<ExactText> = []
    for added in additions where seen.insert(ExactText(added.name)).inserted {
      let place = SchemaConflict.Place(className: added.name)
      if let other = spelled.updateValue(added.name, forKey: added.name),
        !other.hasSameBytes(as: added.name)
      {
        throw SchemaConflict(.equivalentSyncedName(className: added.name, property: nil))
      }
      guard let known = schema[added.name] else {
        try Self.check(added.name, "class", source)
        for property in added.properties { try Self.check(property.name, "property", source) }
        guard added.isEmbedded || added.primaryKey != nil else {
          throw SchemaConflict(
            "\(added.name) has no primary key; a class that is synced needs one", at: place)
        }
        classes.append(added)
        continue
      }
      guard added.isEmbedded == known.isEmbedded else {
        throw conflict(
          added.name, of: place, added.isEmbedded ? "embedded" : "not embedded",
          server: known.isEmbedded ? "embedded" : "not embedded")
      }
      guard added.isAsymmetric == known.isAsymmetric else {
        throw conflict(
          added.name, of: place, added.isAsymmetric ? "asymmetric" : "not asymmetric",
          server: known.isAsymmetric ? "asymmetric" : "not asymmetric")
      }
      guard added.primaryKey == known.primaryKey else {
        throw conflict(
          "primary key of \(added.name)", of: place, added.primaryKey ?? "none",
          server: known.primaryKey ?? "none")
      }
      for property in added.properties {
        guard let other = known[property.name] else {
          try Self.check(property.name, "property", source)
          properties.append((property, added.name))
          continue
        }
        guard property.isLike(other) else {
          throw conflict(
            "\(added.name).\(property.name)",
            of: SchemaConflict.Place(className: added.name, property: property.name),
            property.typeText, server: other.typeText)
        }
      }
    }
  }
}

extension SchemaAddition {
  private static func check(_ name: String, _ kind: String, _ source: String)
    throws(SchemaConflict)
  {
    guard let problem = SyncedName.problem(name) else { return }
    throw SchemaConflict(
      "the name '\(SyncedName.visible(name))' of a \(kind) \(source) cannot be synced: \(problem)",
      at: nil)
  }
}

/// Why two schemas cannot be of one app.
package struct SchemaConflict: Error, Equatable {
  /// A class, or one of its properties.
  package struct Place: Hashable, Sendable {
    package let className: String
    package var property: String?

    package init(className: String, property: String? = nil) {
      self.className = className
      self.property = property
    }
  }

  package let text: String
  /// Nil when the names themselves are invalid.
  package let place: Place?
  /// The class that a link names and that does not exist.
  package private(set) var unknownClass: String?

  init(_ text: String, at place: Place?) {
    self.text = text
    self.place = place
  }

  /// The refusal of a store's own rules.
  init(_ problem: ObjectError.SchemaProblem) {
    self.init(
      ObjectError.invalidSchema(problem).description,
      at: problem.className.map { Place(className: $0, property: problem.property) })
    if case .unknownLinkTarget(let name, _, _) = problem { unknownClass = name }
  }
}

extension PropertySchema {
  /// Whether values of one are values of the other.
  fileprivate func isLike(_ other: PropertySchema) -> Bool {
    type == other.type && collection == other.collection && isOptional == other.isOptional
      && linkTarget == other.linkTarget
  }

  fileprivate var typeText: String {
    let element = linkTarget ?? type.queryName
    let text = isOptional && type != .link ? element + "?" : element
    return switch collection {
    case .none: text
    case .list: "list of \(text)"
    case .set: "set of \(text)"
    case .map: "map of \(text)"
    }
  }
}
