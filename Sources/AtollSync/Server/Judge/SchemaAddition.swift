internal import AtollObjects

/// What the classes of a device add to those of the store.
struct SchemaAddition {
  private(set) var classes: [ClassSchema] = []
  private(set) var properties: [(property: PropertySchema, className: String)] = []

  var isEmpty: Bool { classes.isEmpty && properties.isEmpty }

  /// Compares the classes of a device with those of the store.
  ///
  /// - Throws: The first conflict of type, optionality or key, with both sides named.
  init(_ device: [ClassSchema], to schema: Schema) throws(SchemaConflict) {
    var seen: Set<String> = []
    for added in device where seen.insert(added.name).inserted {
      guard let known = schema[added.name] else {
        guard added.isEmbedded || added.primaryKey != nil else {
          throw SchemaConflict("\(added.name) has no primary key; a class that is synced needs one")
        }
        classes.append(added)
        continue
      }
      guard added.isEmbedded == known.isEmbedded else {
        throw SchemaConflict(
          added.name, device: added.isEmbedded ? "embedded" : "not embedded",
          server: known.isEmbedded ? "embedded" : "not embedded")
      }
      guard added.primaryKey == known.primaryKey else {
        throw SchemaConflict(
          "primary key of \(added.name)", device: added.primaryKey ?? "none",
          server: known.primaryKey ?? "none")
      }
      for property in added.properties {
        guard let other = known[property.name] else {
          properties.append((property, added.name))
          continue
        }
        guard property.isLike(other) else {
          throw SchemaConflict(
            "\(added.name).\(property.name)", device: property.typeText, server: other.typeText)
        }
      }
    }
  }
}

/// Why the classes of a device and of the store cannot be of one app.
struct SchemaConflict: Error, Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  init(_ name: String, device: String, server: String) {
    text = "\(name) is \(device) on the device and \(server) on the server"
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
