import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct CollectionsPage {
  // Page begins here
  class Recipe: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var steps: List<String>
    @Persisted var tags: MutableSet<String>
    @Persisted var grams: Map<String, Int>
    @Persisted var note: AnyRealmValue
  }

  func cook(in realm: Realm) throws -> Recipe {
    let recipe = Recipe()
    recipe.name = "Porridge"
    recipe.steps.append(objectsIn: ["boil water", "add oats"])
    recipe.tags.insert("breakfast")
    recipe.grams["oats"] = 50
    try realm.write { realm.add(recipe) }

    try realm.write {
      recipe.steps.insert("stir", at: 1)
      recipe.steps.move(from: 1, to: 2)
      recipe.tags.insert(objectsIn: ["warm", "breakfast"])
      recipe.grams["salt"] = 1
      recipe.grams["oats"] = nil
    }
    return recipe
  }
  // Page ends here

  // Page begins here
  func annotate(_ recipe: Recipe, in realm: Realm) throws -> String {
    try realm.write {
      recipe.note = .fromDictionary([
        "stars": .int(4), "cooks": .fromArray([.string("Ada"), .string("Bob")]),
      ])
      recipe.note.dictionaryValue?["stars"] = .int(5)
    }
    switch recipe.note {
    case .none: return "no note"
    case .dictionary(let values):
      let cooks = values["cooks"]?.listValue?.compactMap(\.stringValue) ?? []
      return "\(values["stars"]?.intValue ?? 0) stars, cooked by \(cooks.joined(separator: ", "))"
    default: return "something else"
    }
  }
  // Page ends here

  @Test func collectionsAreChangedInPlace() throws {
    let realm = try Manual.realm()
    let recipe = try cook(in: realm)
    #expect(Array(recipe.steps) == ["boil water", "add oats", "stir"])
    #expect(Set(recipe.tags) == ["breakfast", "warm"])
    #expect(recipe.grams.keys == ["salt"] && recipe.grams["salt"] == 1)
    #expect(recipe.note == .none)
    #expect(try annotate(recipe, in: realm) == "5 stars, cooked by Ada, Bob")
    #expect(realm.objects(Recipe.self).where { $0.grams["salt"] > 0 }.count == 1)
  }
}
