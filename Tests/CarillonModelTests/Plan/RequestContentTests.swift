import CarillonModel
import Testing

@Suite struct RequestContentTests {
  @Test("The habit's texts are the default for the schedule's")
  func fallbacks() throws {
    var habit = Habit("Walk", .daily(at: ["07:30"]))
    habit.question = "Did you walk?"
    let plain = try #require(PlanFixture("UTC", habit).plan(at: "2026-11-23T00:00Z").requests.first)
    #expect(
      plain.content
        == RequestContent(title: "Walk", body: "Did you walk?", thread: habit.id.description))
    habit.schedules[0].content = Schedule.Content(
      title: "Up!", body: "Go", sound: "bell", data: ["k": "v"])
    habit.schedules[0].thread = "health"
    let own = try #require(PlanFixture("UTC", habit).plan(at: "2026-11-23T00:00Z").requests.first)
    #expect(
      own.content
        == RequestContent(
          title: "Up!", body: "Go", sound: "bell", thread: "health", data: ["k": "v"]))
    #expect(own.id == plain.id && own.fingerprint != plain.fingerprint)
  }
}
