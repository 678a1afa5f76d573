import CarillonModel
import Testing

struct HabitFieldTests {
  @Test("Each field of a habit is named like its case", arguments: HabitField.allCases)
  func name(field: HabitField) {
    #expect(field.name == "\(field)")
  }
}
