/// The words of a text as the rules of full-text search read, scalar by scalar.
package enum NaiveWords {
  /// Each letter of Latin-1 and what it becomes.
  private static let folded: [Unicode.Scalar: String] = {
    var folded: [Unicode.Scalar: String] = [:]
    for (letter, spellings) in [
      ("a", "ÀÁÂÃÄàáâãä"), ("c", "Çç"), ("e", "ÈÉÊËèéêë"), ("i", "ÌÍÎÏìíîï"), ("n", "Ññ"),
      ("o", "ÒÓÔÕÖòóôõö"), ("u", "ÙÚÛÜùúûü"), ("y", "Ýý"), ("å", "Åå"), ("æ", "Ææ"), ("ð", "Ðð"),
      ("ø", "Øø"), ("þ", "Þþ"), ("ß", "ß"),
    ] {
      for scalar in spellings.unicodeScalars { folded[scalar] = letter }
    }
    for scalar in "abcdefghijklmnopqrstuvwxyz0123456789".unicodeScalars {
      folded[scalar] = String(scalar)
      for capital in String(scalar).uppercased().unicodeScalars { folded[capital] = String(scalar) }
    }
    return folded
  }()

  /// The tokens, in the order of the text.
  package static func tokens(of text: String) -> [String] {
    var words: [[String]] = [[]]
    for scalar in text.unicodeScalars {
      if let letter = folded[scalar] {
        words[words.count - 1].append(letter)
      } else {
        words.append([])
      }
    }
    return words.filter { !$0.isEmpty }.map { letters in
      var token = ""
      for letter in letters {
        if token.utf8.count + letter.utf8.count > 64 { break }
        token += letter
      }
      return token
    }
  }

  /// Whether a text passes a pattern that is well formed.
  package static func matches(_ text: String?, _ pattern: String) -> Bool {
    let tokens = tokens(of: text ?? "")
    return pattern.split(separator: " ").allSatisfy { word in
      if word.hasPrefix("-") {
        return !tokens.contains(self.tokens(of: String(word))[0])
      }
      let wanted = self.tokens(of: String(word))[0]
      return word.hasSuffix("*")
        ? tokens.contains { $0.utf8.starts(with: wanted.utf8) } : tokens.contains(wanted)
    }
  }
}

extension SplitMix64 {
  /// A text of few words in letters that fold, letters that stay, and characters that separate.
  package mutating func words() -> String {
    let stems = [
      "sail", "sailing", "Sailor", "MASTER", "Åse", "åse", "ase", "båt", "fjord", "Ærø", "ærø", "ß",
      "straße", "Þór", "þor", "é", "e", "naïve", "Ñandú", "x2", "2", "résumé", "ÿ", "日本", "Москва",
    ]
    let separators = [" ", "-", "'", ", ", "\t", "×", "÷", "ÿ", "·", "日", "\u{0}", "🚢", "e\u{301}"]
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &self) {
      switch Int.random(in: 0..<10, using: &self) {
      case 0:
        let scalars = (0..<Int.random(in: 60...70, using: &self)).map { _ in
          ["a", "é", "å", "z"].randomElement(using: &self) ?? "a"
        }
        text += scalars.joined()
      case 1:
        for _ in 0..<Int.random(in: 1...5, using: &self) {
          text.unicodeScalars.append(
            Unicode.Scalar(UInt8.random(in: 0x20...0xFF, using: &self)))
        }
      default: text += stems.randomElement(using: &self) ?? ""
      }
      if Int.random(in: 0..<8, using: &self) > 0 {
        text += separators.randomElement(using: &self) ?? " "
      }
    }
    return text
  }
}
