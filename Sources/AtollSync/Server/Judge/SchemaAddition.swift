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
  /// - Throws: The first conflict of type, optionality or key, with both sides named.
  init(
    _ additions: [ClassSchema], to schema: Schema, source: String = "on the device"
  ) throws(SchemaConflict) {
    func conflict(_ name: String, _ own: String, server: String) -> SchemaConflict {
      SchemaConflict("\(name) is \(own) \(source) and \(server) on the server")
    }
    var seen: Set<String> = []
    for added in additions where seen.insert(added.name).inserted {
      guard let known = schema[added.name] else {
        guard added.isEmbedded || added.primaryKey != nil else {
          throw SchemaConflict("\(added.name) has no primary key; a class that is synced needs one")
        }
        classes.append(added)
        continue
      }
      guard added.isEmbedded == known.isEmbedded else {
        throw conflict(
          added.name, added.isEmbedded ? "embedded" : "not embedded",
          server: known.isEmbedded ? "embedded" : "not embedded")
      }
      guard added.isAsymmetric == known.isAsymmetric else {
        throw conflict(
          added.name, added.isAsymmetric ? "asymmetric" : "not asymmetric",
          server: known.isAsymmetric ? "asymmetric" : "not asymmetric")
      }
      guard added.primaryKey == known.primaryKey else {
        throw conflict(
          "primary key of \(added.name)", added.primaryKey ?? "none",
          server: known.primaryKey ?? "none")
      }
      for property in added.properties {
        guard let other = known[property.name] else {
          properties.append((property, added.name))
          continue
        }
        guard property.isLike(other) else {
          throw conflict(
            "\(added.name).\(property.name)", property.typeText, server: other.typeText)
        }
      }
    }
  }
}

/// Why two schemas cannot be of one app.
package struct SchemaConflict: Error, Hashable {
  package let text: String

  init(_ text: String) { self.text = text }
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
