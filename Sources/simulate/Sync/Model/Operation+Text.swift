internal import AtollCapture
internal import AtollObjects

extension Operation {
  /// What a history says of an operation.
  var short: String {
    let life =
      switch generation {
      case nil: ""
      case .confirmed(let cursor): "@\(cursor.version)"
      case .pending(let number, let index): "@\(number).\(index)"
      }
    let key = "\(object.primaryKey)\(life)"
    return switch action {
    case .create: "create \(key)"
    case .delete: "delete \(key)"
    case .set(let property, let value): "\(key).\(property) = \(value)"
    case .insert(let property, _, _, let value): "\(key).\(property) + \(value)"
    case .setElement(let property, _, let value): "\(key).\(property)[] = \(value)"
    case .removeElement(let property, _): "\(key).\(property) -"
    case .setEntry(let property, let entry, let value): "\(key).\(property)[\(entry)] = \(value)"
    case .addMember(let property, let member): "\(key).\(property) with \(member)"
    case .removeEntry(let property, let entry): "\(key).\(property) without \(entry)"
    case .moveElement(let property, _, _): "\(key).\(property)[] moves"
    case .increment(let property, let delta): "\(key).\(property) += \(delta)"
    case .edit(let path, let place, let change):
      "\(key).\(path.property ?? "").\(place.names.joined(separator: ".")): \(change)"
    }
  }
}
