extension StoreState {
  /// The merged state of the dates of one habit, in ascending order.
  ///
  /// Rows arrive in this order and most uses read all of them, so it costs less than a dictionary.
  package struct Days: Hashable, Sendable {
    private struct Known: Hashable {
      let date: CivilDate
      var day: Day
    }

    private var known: [Known] = []

    /// Creates an empty collection.
    package init() {}

    /// Creates a collection of the states of dates, in any order.
    package init(_ days: some Sequence<(date: CivilDate, day: Day)>) {
      for (date, day) in days { self[date] = day }
    }

    /// The state of a date; nil if nothing is known of it.
    ///
    /// - Complexity: O(log dates), and O(1) to add a date after the last. To add another one or to
    ///   remove one: O(dates).
    package subscript(date: CivilDate) -> Day? {
      get {
        let index = self.index(of: date)
        return has(date, at: index) ? known[index].day : nil
      }
      set {
        let index = self.index(of: date)
        switch (has(date, at: index), newValue) {
        case (true, let day?): known[index].day = day
        case (true, nil): known.remove(at: index)
        case (false, let day?): known.insert(Known(date: date, day: day), at: index)
        case (false, nil): break
        }
      }
    }

    /// The state of a date, or another one if nothing is known of it.
    package subscript(date: CivilDate, default other: Day) -> Day {
      get { self[date] ?? other }
      set { self[date] = newValue }
    }

    /// Adds the dates of another collection, but only the marks of those that both have.
    ///
    /// - Complexity: O(dates of both).
    package mutating func merge(marksOf other: Days) {
      var merged: [Known] = []
      merged.reserveCapacity(known.count + other.known.count)
      var rest = known[...]
      for var marked in other.known {
        let end = rest.firstIndex { $0.date >= marked.date } ?? rest.endIndex
        merged += rest[..<end]
        rest = rest[end...]
        if let mine = rest.first, mine.date == marked.date {
          rest.removeFirst()
          let mark = marked.day.mark
          marked = mine
          marked.day.mark = mark
        }
        merged.append(marked)
      }
      known = merged + rest
    }

    /// Returns the index of the first date that is not before another.
    private func index(of date: CivilDate) -> Int {
      guard let last = known.last, date <= last.date else { return known.count }
      var (low, high) = (0, known.count)
      while low < high {
        let middle = (low + high) / 2
        if known[middle].date < date { low = middle + 1 } else { high = middle }
      }
      return low
    }

    private func has(_ date: CivilDate, at index: Int) -> Bool {
      index < known.count && known[index].date == date
    }
  }
}

extension StoreState.Days: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { known.count }

  package subscript(position: Int) -> (date: CivilDate, day: StoreState.Day) {
    (known[position].date, known[position].day)
  }
}

extension StoreState.Days: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (CivilDate, StoreState.Day)...) {
    self.init(elements.map { ($0, $1) })
  }
}
