import AtollImport
import AtollObjects

extension OddValue {
  /// The message for it, `name` being the data file.
  func description(name: String) -> String {
    var text = "'\(property)' is imported as string: \(name):\(position): '\(shortened)' is no "
    text += type.queryName
    if count > 1 { text += ", nor are \(Quantity.count(count - 1)) more" }
    text += " of \(Quantity.count(totalCount, "value", "values"))"
    return text + "; with --type \(property)=\(type.queryName) that is an error"
  }

  private var shortened: String {
    text.count <= 40 ? text : "\(text.prefix(40))…"
  }
}
