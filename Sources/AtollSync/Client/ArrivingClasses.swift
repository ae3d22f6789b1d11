import AtollCapture
import AtollObjects

/// Classes and properties that a batch brings: the file gets those that it lacks (R11).
enum ArrivingClasses {
  static func add(_ classes: [ClassSchema], to transaction: Transaction) throws {
    var new: [ClassSchema] = []
    for schema in classes {
      guard !schema.name.hasPrefix(SyncedName.ownPrefix) else {
        throw SyncError.unexpected("the class '\(schema.name)', whose name is the file's own")
      }
      guard let existing = transaction.schema[schema.name] else {
        var schema = schema
        schema.isSynced = schema.primaryKey != nil && !schema.isEmbedded
        schema.isAsymmetric = schema.isAsymmetric && schema.isSynced
        new.append(schema)
        continue
      }
      guard existing.primaryKey == schema.primaryKey, existing.isEmbedded == schema.isEmbedded,
        existing.isAsymmetric == schema.isAsymmetric
      else { throw conflict("class '\(schema.name)' has another key or kind on the server") }
      for property in schema.properties {
        guard let own = existing[property.name] else { continue }
        guard own.type == property.type, own.collection == property.collection,
          own.linkTarget == property.linkTarget, own.isOptional == property.isOptional
        else {
          throw conflict(
            "property '\(schema.name).\(property.name)' has another type on the server")
        }
      }
    }
    if !new.isEmpty { try transaction.addClasses(new) }
    for schema in classes {
      guard let existing = transaction.schema[schema.name] else { continue }
      for property in schema.properties where existing[property.name] == nil {
        try transaction.addProperty(property, to: schema.name)
      }
      if schema.primaryKey != nil, !schema.isEmbedded, !existing.isSynced {
        // A limit of the device alone, of a class that the application declared once.
        for index in existing.indexes where index.isUnique {
          try transaction.removeIndex(index, of: schema.name)
        }
        try transaction.markSynced(schema.name)
      }
    }
  }

  private static func conflict(_ text: String) -> SyncError {
    .remote(ErrorMessage(.stop, .schemaConflict, text: text))
  }
}
