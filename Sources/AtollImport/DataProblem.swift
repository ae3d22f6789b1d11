package import AtollObjects

/// An error in a data file, with its place.
package enum DataProblem: Equatable {
  // The text is not the format's.
  case unexpected(Found, expected: Expectation)
  case unknownWord(String)
  case trailingComma
  case unclosedString(opened: SourcePosition)
  case controlCharacter(UInt8)
  case unknownEscape(Found)
  case loneSurrogate
  case invalidUTF8
  case leadingZero
  case integerOutOfRange(String)
  case doubleOutOfRange(String)
  case tooDeep(limit: Int)
  case duplicateName(String)
  case fieldCount(Int, expected: Int)
  case emptyColumnName
  case zeroByteInColumnName
  // Of a notation that names types: `ExtendedJSON`.
  case unknownExtendedWord(String)
  case wordNotAlone(word: String, name: String)
  /// A type that no property has.
  case foreignType(word: String, meaning: String)
  case damagedValue(word: String, expected: String, found: String)

  // The text is well formed, but its values do not fit together or the class in the file.
  case contradiction(property: String, found: String, expected: String, by: TypeSource)
  /// A number that the property's type could only hold as infinity.
  case tooLarge(property: String, number: String, type: ValueType)
  /// An integer, or digits for a decimal, that the property's type could only hold as another
  /// number.
  case inexact(property: String, number: String, type: ValueType)
  /// A number that is not zero, and that the property's type could only hold as zero.
  case tooSmall(property: String, number: String, type: ValueType)
  /// A string or data for an index; a byte 00 counts twice.
  case keyTooLong(property: String, byteCount: Int, limit: Int)
  case valueTooLong(property: String, byteCount: Int, limit: Int)
  case emptyName
  case nameTooLong(String, limit: Int)
  case linkOutsideOfDump
  case primaryKeyMissing(String)
  case primaryKeyNull(String)
  /// `expected` is nil when the first key already is of no type of keys.
  case primaryKeyType(String, expected: KeyType?, found: String)
  case linkKeyType(property: String, expected: KeyType?, found: String)
  case nullInListOfLinks(property: String)

  // The line is none of a dump, or does not fit those before it.
  case noDumpLine
  case noDumpedClass
  case noDumpedObject
  case unknownClass(String)
  case unknownType(String, property: String)
  case unknownProperty(String, className: String)
  case noObjectKey(property: String, found: String)
  case classTwice(String)
  case classInFile(String)
  case notByItself(String)
  case nullOfRequired(property: String, type: String)
  /// The same of a property that the file has already, or of an element of it.
  case nullOfRequiredInFile(property: String, type: String, isElement: Bool)
  case duplicatePrimaryKey(String, className: String)
  case duplicateObjectKey(Int64, className: String)
  /// Values that another object has, of which a unique index is kept.
  case notUnique(String, properties: [String], className: String)
  /// A link to an object of which the dump has no line.
  case notInDump(String, className: String)

  /// The source of a property's type.
  package enum TypeSource: Equatable {
    /// The first value; `path`: the name of the property in options when it is in embedded objects.
    case value(at: SourcePosition, path: String? = nil)
    case file
    case option
  }

  /// The text at the place of the error.
  package enum Found: Equatable {
    case endOfData
    case character(Unicode.Scalar)
    case byte(UInt8)
  }

  /// The expected alternatives.
  package enum Expectation: String, Equatable {
    case records = "'{' or '['"
    case record = "a record: '{'"
    case recordOrEndOfArray = "a record '{' or the end of the array ']'"
    case name = "a name in double quotes"
    case nameOrEndOfObject = "a name in double quotes or '}'"
    case colon = "':'"
    case commaOrEndOfObject = "',' or '}'"
    case commaOrEndOfList = "',' or ']'"
    case value = "a value"
    case valueOrEndOfList = "a value or ']'"
    case digit = "a digit"
    case hexadecimalDigit = "a hexadecimal digit"
    case endOfLine = "the end of the line: one record a line"
    case endOfData = "nothing more"
    case commaOrEndOfLine = "what separates the columns, or the end of the line"
    case lineFeed = "a line feed after the carriage return"
    case unquotedField = "no quote inside a field that does not begin with one"
  }
}

extension DataProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unexpected(let found, let expected): "expected \(expected.rawValue), found \(found)"
    case .unknownWord(let word):
      "expected a value, found '\(word)'; the words are true, false and null"
    case .trailingComma: "a comma with nothing after it"
    case .unclosedString(let opened): "the string opened at \(opened) is not closed"
    case .controlCharacter(let byte):
      "a control character (\(hexadecimal(byte))) in a string; write it as an escape"
    case .unknownEscape(let found):
      "expected one of \" \\ / b f n r t u after '\\', found \(found)"
    case .loneSurrogate: "half of a surrogate pair; the other half is missing"
    case .invalidUTF8: "the bytes are not UTF-8"
    case .leadingZero: "a number does not begin with a superfluous zero"
    case .integerOutOfRange(let text):
      "the integer \(text) does not fit in 64 bits; with a decimal point it would be a double, and "
        + "a property of type decimal128 holds it"
    case .doubleOutOfRange(let text):
      "the number \(text) is "
        + (Double(text) == 0 ? "nearer to zero than any double" : "larger than any double")
        + (Self.fitsDecimal(text) ? "; a property of type decimal128 holds it" : "")
    case .tooDeep(let limit): "more than \(limit) levels of lists and objects"
    case .duplicateName(let name): "the name '\(name)' appears twice"
    case .fieldCount(let found, let expected):
      "expected \(expected) fields as in the header, found \(found)"
    case .emptyColumnName: "a column of the header has no name"
    case .zeroByteInColumnName:
      "the name of a column has a zero byte: the data is not text in UTF-8, but perhaps in UTF-16"
    case .unknownExtendedWord(let word):
      "'\(word)' is no word of Extended JSON, whose values are "
        + "\(ExtendedJSON.words.joined(separator: ", ")); with '--format plain-json' objects are "
        + "taken as they are"
    case .wordNotAlone(let word, let name):
      "'\(word)' makes a value of its own in Extended JSON, and '\(name)' stands beside it; with "
        + "'--format plain-json' objects are taken as they are"
    case .foreignType(let word, let meaning):
      "'\(word)' is \(meaning) in Extended JSON, which no property can hold"
    case .damagedValue(let word, let expected, let found):
      "expected after '\(word)' \(expected), found \(found)"
    case .contradiction(let property, let found, let expected, let source):
      "'\(property)' is \(expected) \(source), found \(found)"
        + (source.path(of: property).map {
          "; with '--type \($0)=mixed' it takes values of different types"
        } ?? "")
    case .tooLarge(let property, let number, let type):
      "'\(property)' is \(type.queryName), and \(number) is larger than any \(type.queryName)"
    case .inexact(let property, let number, let type):
      "'\(property)' is \(type.queryName), and no \(type.queryName) equals \(number)"
    case .tooSmall(let property, let number, let type):
      "'\(property)' is \(type.queryName), and \(number) is nearer to zero than any "
        + "\(type.queryName)"
    case .keyTooLong(let property, let byteCount, let limit):
      "'\(property)' is a key or has an index, which takes \(limit) bytes at most, found "
        + "\(byteCount)"
    case .valueTooLong(let property, let byteCount, let limit):
      "a value takes \(limit) bytes at most, found \(byteCount) in '\(property)'"
    case .emptyName: "a property needs a name"
    case .nameTooLong(let name, let limit):
      "the name '\(name.prefix(20))…' is longer than \(limit) bytes"
    case .linkOutsideOfDump:
      "'$link' is for dumps of a whole file; in data of one class a link is given by --link"
    case .primaryKeyMissing(let property): "the record has no '\(property)', its primary key"
    case .primaryKeyNull(let property): "the primary key '\(property)' is null"
    case .primaryKeyType(let property, let expected, let found):
      "the primary key '\(property)' is \(expected?.type.queryName ?? Self.keyTypes)"
        + ", found \(found)"
    case .linkKeyType(let property, let expected, let found):
      "the link '\(property)' is given by its target's primary key, "
        + "\(expected?.type.queryName ?? Self.keyTypes), found \(found)"
    case .nullInListOfLinks(let property): "null in '\(property)', a list of links"
    case .noDumpLine:
      "expected a line {\"class\": …} or {\"of\": …, \"object\": …}, as 'atoll dump' writes them; "
        + "data of one class is imported with the name of the class before the data file"
    case .noDumpedClass:
      "the description of a class has a name, a primaryKey, isEmbedded, properties with name, type, "
        + "isIndexed, isFullTextIndexed and deletionRule, and indexes with properties and isUnique"
    case .noDumpedObject: "an object is written as {\"name\": value, …}"
    case .unknownClass(let name): "no line before this one describes the class '\(name)'"
    case .unknownType(let type, let property): "'\(property)' is of an unknown type: '\(type)'"
    case .unknownProperty(let name, let className):
      "the class '\(className)' has no property '\(name)'"
    case .noObjectKey(let property, let found):
      "'\(property)' leads to an object without primary key, which is named as \"#1\", found "
        + "\(found)"
    case .classTwice(let name): "the class '\(name)' is described a second time"
    case .classInFile(let name): "there is a class '\(name)' already in the database file"
    case .notByItself(let name):
      "'\(name)' is a class of embedded objects, which stand inside of their owners"
    case .nullOfRequired(let property, let type): "'\(property)' is \(type), found null"
    case .nullOfRequiredInFile(let property, let type, let isElement):
      "'\(property)' is \(type) in the database file, found null; "
        + (isElement
          ? "each element needs a value"
          : "give it a value\(type == "string" ? " (in CSV \"\" is empty text)" : ""), or leave it "
            + "out of the record: an object keeps the value that it has then")
    case .duplicatePrimaryKey(let key, let className):
      "a second object of '\(className)' with the primary key \(key)"
    case .duplicateObjectKey(let key, let className):
      "a second object of '\(className)' with the key \(key)"
    case .notUnique(let values, let properties, let className):
      "a second object of '\(className)' with \(values) in \(properties.joined(separator: ", ")), of "
        + "which the class has a unique index"
    case .notInDump(let key, let className):
      "a link to the object \(key) of '\(className)', which is not in the dump: it is damaged, or a "
        + "part of one"
    }
  }
}

extension DataProblem {
  /// A number that the property's type could only hold as infinity, or as zero.
  static func outOfRange(property: String, number: String, type: ValueType) -> DataProblem {
    guard Decimal128(number)?.isZero ?? false || Double(number)?.magnitude ?? 0 < 1 else {
      return .tooLarge(property: property, number: number, type: type)
    }
    return .tooSmall(property: property, number: number, type: type)
  }

  private static let keyTypes = "int, string, objectId or uuid"

  private static func fitsDecimal(_ digits: String) -> Bool {
    if case .number? = DecimalText(digits) { true } else { false }
  }
}

extension DataProblem.TypeSource: CustomStringConvertible {
  /// The name by which an option gives the property another type; nil if none can.
  fileprivate func path(of property: String) -> String? {
    if case .value(_, let path) = self { path ?? property } else { nil }
  }

  package var description: String {
    switch self {
    case .value(let position, _): "at \(position)"
    case .file: "in the database file"
    case .option: "by its option"
    }
  }
}

extension DataProblem.Found: CustomStringConvertible {
  package var description: String {
    switch self {
    case .endOfData: "the end of the data"
    case .character("\n"), .character("\r"): "the end of the line"
    case .character("'"): "a single quote"
    case .character(let scalar) where scalar.properties.generalCategory == .control:
      "U+" + String(scalar.value, radix: 16, uppercase: true)
    case .character(let scalar): "'\(scalar)'"
    case .byte(let byte): "the byte \(hexadecimal(byte))"
    }
  }
}

/// `0x0A` for ten.
private func hexadecimal(_ byte: UInt8) -> String {
  (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
}
