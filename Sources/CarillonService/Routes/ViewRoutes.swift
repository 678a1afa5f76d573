#if Service
import Carillon
import CarillonDocuments
import CarillonModel
import HTTPTypes
import Hummingbird

extension StoreRouter {
  /// Adds the routes that show the habits and their reminders by date.
  func addViews() {
    read("today") { asked in
      Answer(try await TodayDocument(asked.store, asked.time).json)
    }
    read("week", query: ["date"]) { asked in
      let date = try await asked.date("date")
      let today = try await asked.store.today()
      return Answer(try await WeekDocument(asked.store, of: date ?? today, asked.time).json)
    }
    read("upcoming", query: ["days"]) { asked in
      let days = try asked.integer("days", in: 1...UpcomingDocument.maxDays)
      return Answer(try await UpcomingDocument(asked.store, days: days, asked.time).json)
    }
    read("habits/:habit/explain", query: ["date"]) { asked in
      let date = try await asked.date("date")
      let habit = try await asked.store.habit(asked.habit)
      let explained = try await ExplainDocument(
        asked.store, habit, on: date.map(HabitDate.date) ?? .today, asked.time)
      return Answer(explained.json)
    }
    read("habits/:habit/map", query: ["year"]) { asked in
      let year = try asked.integer("year", in: MapDocument.years)
      let habit = try await asked.store.habit(asked.habit)
      return Answer(try await MapDocument(asked.store, habit, year: year).json)
    }
  }
}
#endif
