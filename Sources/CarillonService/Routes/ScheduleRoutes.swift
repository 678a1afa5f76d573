#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes of schedules.
  func addSchedules() {
    on(.post, "habits/:habit/schedules") { asked in
      let habit = try asked.habit
      var document = try await asked.document()
      let schedule = try Schedule(.object(document.rest()))
      let written = try await asked.store.edit(habit) { habit in
        guard !habit.schedules.contains(where: { $0.id == schedule.id }) else {
          throw StoreError(
            code: .alreadyExists, message: "there is already a schedule \(schedule.id)",
            hint: "leave out the ID, or replace the schedule with PUT")
        }
        habit.schedules.append(schedule)
      }
      return Answer(written, schedule.place(in: habit), .created)
    }
    on(.put, "habits/:habit/schedules/:schedule") { asked in
      let (habit, id) = (try asked.habit, try asked.id("schedule") as ScheduleID)
      var document = try await asked.document()
      guard try document.id("id") ?? id == id else {
        throw Problem.invalidValue("id: is not \(id), the schedule that the path names")
      }
      let schedule = try Schedule(.object(document.rest()), id: id)
      let written = try await asked.store.edit(habit) { habit in
        habit.schedules[try habit.index(of: id)] = schedule
      }
      return Answer(written, schedule.place(in: habit))
    }
    on(.delete, "habits/:habit/schedules/:schedule") { asked in
      let (habit, id) = (try asked.habit, try asked.id("schedule") as ScheduleID)
      let written = try await asked.store.edit(habit) { habit in
        habit.schedules.remove(at: try habit.index(of: id))
      }
      return Answer(written, ["habit": .text(habit), "schedules": [.text(id)]])
    }
    read("preview", method: .post) { asked in
      var document = try await asked.document()
      let (schedule, time) = (try Schedule(.object(document.rest())), asked.time)
      let next = try await asked.store.preview(of: schedule, count: 5)
      return Answer([
        "summary": .text(schedule.summary(time)),
        "times": .array(next) { one in
          ["fireAt": .text(time.rfc3339(one.fireAt)), "nominal": .text(one.nominal)]
        },
      ])
    }
  }
}

extension Schedule {
  /// `{habit,schedules[id]}`.
  fileprivate func place(in habit: HabitID) -> JSON {
    ["habit": .text(habit), "schedules": [.text(id)]]
  }
}

extension Habit {
  /// Returns the index of the schedule with an ID.
  fileprivate func index(of id: ScheduleID) throws -> Int {
    guard let index = schedules.firstIndex(where: { $0.id == id }) else {
      throw StoreError(
        code: .notFound, message: "there is no schedule \(id) of the habit",
        hint: "the habit's document lists its schedules")
    }
    return index
  }
}
#endif
