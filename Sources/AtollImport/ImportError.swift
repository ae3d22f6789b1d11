package import AtollObjects

/// Why an import stopped.
package enum ImportError: Error, Equatable {
  /// The data is wrong at a place that can be named.
  case data(DataProblem, at: SourcePosition)
  /// The options do not fit the data or the class in the file.
  case request(RequestProblem)
  /// The operating system would not give the data.
  case input(SystemError)
}

/// An option of an import that does not fit this data or this class.
package enum RequestProblem: Equatable {
  case unknownProperty(String, option: String, nearest: String?)
  case valuelessProperty(String, option: String)
  case notIndexable(String, type: String)
  case notFullTextIndexable(String, type: String)
  case targetWithoutPrimaryKey(String)
  case primaryKeyNeeded(String)
  case primaryKeyDiffers(inFile: String?, requested: String)
  case propertyIsNotALink(String, type: String)
  case linkTargetDiffers(String, inFile: String, requested: String)
  case contradictingOptions(property: String)
  /// As those of one property, in all properties that hold embedded objects of the class.
  case contradictingOptionsInside(className: String, property: String)
  /// An option that is only for properties of the records themselves.
  case insideEmbedded(String, option: String)
  case typeDiffers(String, inFile: String, requested: ValueType)
  case notAPrimaryKey(String, type: ValueType)
  case notEmbedded(String)
  /// The class of the records is one of embedded objects.
  case embeddedInFile(String)
}

extension ImportError {
  /// The message for people, `name` being the data file.
  package func description(name: String) -> String {
    switch self {
    case .data(let problem, let position): "\(name):\(position): \(problem)"
    case .request(let problem): "\(problem)"
    case .input(let error): "\(error)"
    }
  }
}

extension RequestProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownProperty(let property, let option, let nearest):
      "\(option) \(property): the data has no property '\(property)'"
        + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    case .valuelessProperty(let property, let option):
      "\(option) \(property): no record has a value for '\(property)', so it has no type"
    case .notIndexable(let property, let type):
      "--index \(property): '\(property)' is \(type), which cannot have an index"
    case .notFullTextIndexable(let property, let type):
      "--full-text \(property): '\(property)' is \(type), and only a string can be searched"
    case .targetWithoutPrimaryKey(let target):
      "a link names its target by primary key, and the class '\(target)' has none"
    case .primaryKeyNeeded(let className):
      "links in the file lead to '\(className)' by primary key; name it with --primary-key"
    case .primaryKeyDiffers(nil, let requested):
      "--primary-key \(requested): the class is in the file already, without a primary key"
    case .primaryKeyDiffers(let inFile?, let requested):
      "--primary-key \(requested): the class is in the file already, with primary key '\(inFile)'"
    case .propertyIsNotALink(let property, let type):
      "'\(property)' is in the file already, as \(type) and not as a link"
    case .linkTargetDiffers(let property, let inFile, let requested):
      "'\(property)' is in the file already, as a link to \(inFile) and not to \(requested)"
    case .contradictingOptions(let property):
      "'\(property)' is named by more than one of --primary-key, --link, --list-link, "
        + "--embedded and --type"
    case .contradictingOptionsInside(let className, let property):
      "the options say different things of '\(property)' in the embedded objects of '\(className)'"
    case .insideEmbedded(let property, let option):
      "\(option) \(property): '\(property)' is in embedded objects; of the options only "
        + "--embedded, --link, --list-link and --type are for what is in them"
    case .typeDiffers(let property, let inFile, let requested):
      "--type \(property)=\(requested.queryName): '\(property)' is in the file already, as "
        + "\(inFile)"
    case .notAPrimaryKey(let property, let type):
      "--type \(property)=\(type.queryName): a primary key is int, string, objectId or uuid"
    case .embeddedInFile(let name):
      "'\(name)' is a class of embedded objects in the database file: they are imported in the "
        + "records of the objects that own them"
    case .notEmbedded(let name):
      "--embedded: the class '\(name)' is one of objects by themselves"
    }
  }
}
