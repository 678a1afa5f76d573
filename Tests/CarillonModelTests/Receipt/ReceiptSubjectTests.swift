import CarillonModel
import Testing

@Suite struct ReceiptSubjectTests {
  @Test("The notification of an occurrence has its request's ID, and that of a push its own ID")
  func others() throws {
    let habit = try #require(HabitID("11111111-2222-4333-8444-555555555555"))
    let schedule = try #require(ScheduleID("66666666-7777-4888-9999-aaaaaaaaaaaa"))
    let nominal = CivilDateTime(date: "2026-11-23", time: "17:00")
    let occurrence = ReceiptSubject.occurrence(
      OccurrenceID(habit: habit, schedule: schedule, nominal: nominal))
    #expect(occurrence.notificationID.description == "c1.2uspqi6djwmzqm44")
    #expect(occurrence.source == habit.description)
    #expect(ReceiptSubject.push(id: "score").notificationID == .other("score"))
    #expect(ReceiptSubject.push(id: "score").source == "push")
  }

  @Test("States are ordered as they are declared")
  func states() {
    #expect(ReceiptState.allCases.sorted() == ReceiptState.allCases)
    #expect(
      ReceiptState.allCases.map(\.rawValue).joined(separator: " ")
        == "submitted delivered expired dismissed opened acted")
  }
}
