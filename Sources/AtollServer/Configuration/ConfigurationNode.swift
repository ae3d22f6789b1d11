#if Sync
internal import AtollObjects
internal import Yams

/// A value of the configuration file, which knows its line.
///
/// Everything that is read through it is checked: a key that has no meaning is an error, as a rule
/// that is misspelt would otherwise be a rule that is not there.
struct ConfigurationNode {
  /// A text with the line it stands on.
  struct Text {
    let value: String
    let line: Int
  }

  /// One entry of a mapping.
  struct Entry {
    let name: String
    let value: ConfigurationNode
  }

  let line: Int
  private let node: Node
  private let path: String

  /// Reads a whole file.
  ///
  /// - Throws: `ConfigurationError` for a text that is no YAML.
  init(yaml: String, path: String) throws(ConfigurationError) {
    do {
      node = try Yams.compose(yaml: yaml) ?? [:]
    } catch let error as YamlError {
      throw ConfigurationError(path: path, line: error.line, error.problem)
    } catch {
      throw ConfigurationError(path: path, line: nil, "\(error)")
    }
    line = node.mark?.line ?? 1
    self.path = path
  }

  private init(_ node: Node, line: Int?, _ path: String) {
    self.node = node
    self.line = line ?? node.mark?.line ?? 1
    self.path = path
  }

  func error(_ text: String) -> ConfigurationError {
    ConfigurationError(path: path, line: line, text)
  }

  // MARK: Mappings

  /// The entries, in their order.
  ///
  /// `what`: what the mapping is, for messages.
  func entries(of what: String) throws(ConfigurationError) -> [Entry] {
    if isNull { return [] }
    guard let mapping = node.mapping else {
      throw error("\(what): names with values are expected here, as in `name: value`")
    }
    var entries: [Entry] = []
    for (key, value) in mapping {
      // A mapping or list begins on the line of its first entry, which is not where it is named.
      let value = ConfigurationNode(
        value, line: value.scalar == nil ? key.mark?.line : nil, path)
      guard let name = key.scalar?.string, !name.isEmpty else {
        throw value.error("\(what): a name is expected before the colon")
      }
      entries.append(Entry(name: name, value: value))
    }
    return entries
  }

  /// The values of the keys that a mapping may have.
  func values(
    of what: String, _ allowed: [String]
  ) throws(ConfigurationError) -> [String: ConfigurationNode] {
    var values: [String: ConfigurationNode] = [:]
    for entry in try entries(of: what) {
      guard allowed.contains(entry.name) else {
        let nearest = NearestName.find(entry.name, among: allowed)
        throw entry.value.error(
          "\(what) has no '\(entry.name)'; "
            + (nearest.map { "did you mean '\($0)'?" }
              ?? "it has \(allowed.joined(separator: ", "))"))
      }
      values[entry.name] = entry.value
    }
    return values
  }

  // MARK: Scalars

  /// Whether nothing stands behind the colon.
  var isNull: Bool { node.null != nil }

  func text(_ what: String) throws(ConfigurationError) -> Text {
    guard let scalar = node.scalar, !isNull, !scalar.string.isEmpty else {
      throw error("\(what): a text is expected")
    }
    return Text(value: scalar.string, line: line)
  }

  func number(_ what: String) throws(ConfigurationError) -> Int {
    guard let number = node.int else { throw error("\(what): a number is expected") }
    return number
  }

  func flag(_ what: String) throws(ConfigurationError) -> Bool {
    guard let flag = node.bool else { throw error("\(what): true or false is expected") }
    return flag
  }

  /// True, false, or a text.
  func flagOrText(_ what: String) throws(ConfigurationError) -> (flag: Bool?, text: Text?) {
    if let flag = node.bool { return (flag, nil) }
    guard node.scalar != nil, !isNull else {
      throw error("\(what): true, false or a condition is expected")
    }
    return (nil, try text(what))
  }

  // MARK: Lists

  func list(_ what: String) throws(ConfigurationError) -> [ConfigurationNode] {
    if isNull { return [] }
    guard let sequence = node.sequence else {
      throw error("\(what): a list is expected, as `[a, b]` or in lines that begin with '- '")
    }
    return sequence.map { ConfigurationNode($0, line: nil, path) }
  }

  func texts(_ what: String) throws(ConfigurationError) -> [Text] {
    var texts: [Text] = []
    for element in try list(what) { texts.append(try element.text(what)) }
    return texts
  }
}

extension YamlError {
  /// Counted from 1.
  fileprivate var line: Int? {
    switch self {
    case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
      mark.line
    case .duplicatedKeysInMapping(_, let context): context.mark.line
    default: nil
    }
  }

  fileprivate var problem: String {
    switch self {
    case .scanner(_, let problem, _, _), .parser(_, let problem, _, _),
      .composer(_, let problem, _, _), .reader(let problem, _, _, _):
      "this is no YAML: \(problem); a text with ': ' or ' #' in it stands in quotes"
    case .duplicatedKeysInMapping(let names, _):
      "'\(names.joined(separator: "', '"))' is there twice"
    case .dataCouldNotBeDecoded: "this is no text in UTF-8"
    default: "\(self)"
    }
  }
}
#endif
