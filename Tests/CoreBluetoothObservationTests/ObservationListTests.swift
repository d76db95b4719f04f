// Observed properties and the list of them, without a peripheral.

#if !canImport(ObjectiveC)
import Testing

@testable import CoreBluetoothObservation

@Suite("ObservationList")
struct ObservationListTests {
    private final class Counter {
        var number = 0
        var other = 0
    }

    private final class Notes {
        var lines: [String] = []
    }

    /// A property of the counter whose changes are noted.
    private func property(
        _ keyPath: KeyPath<Counter, Int>,
        of counter: Counter,
        _ notes: Notes,
        as name: String,
        value: Int = 0
    ) -> ObservedProperty {
        ObservedProperty(of: counter, keyPath, value: value, [.old, .new]) { _, change in
            notes.lines.append("\(name) \(change.oldValue ?? -1) \(change.newValue ?? -1)")
        }
    }

    @Test("gives a change the values that the options ask for")
    func options() {
        let rows: [(options: NSKeyValueObservingOptions, old: Int?, new: Int?)] = [
            ([], nil, nil), ([.new], nil, 2), ([.old], 1, nil), ([.old, .new], 1, 2), ([.initial], nil, nil),
            ([.initial, .new], nil, 2), ([.initial, .old, .new], 1, 2),
        ]
        for (options, old, new) in rows {
            let change = NSKeyValueObservedChange<Int>(old: 1, new: 2, options)
            #expect(change.oldValue == old && change.newValue == new)
            #expect(change.kind == .setting && change.indexes == nil && !change.isPrior)
            #expect(NSKeyValueObservedChange<Int>(old: nil, new: 2, options).oldValue == nil)
        }
    }

    @Test("takes each change once, from the last known value")
    func changes() {
        let notes = Notes()
        var counter: Counter? = Counter()
        let property = self.property(\.number, of: counter ?? Counter(), notes, as: "number")
        #expect(property.isObserved)
        // What is called keeps the object, and is gone behind these brackets.
        do {
            let none = property.takeChange()
            counter?.number = 5
            let first = property.takeChange()
            let again = property.takeChange()
            #expect(none == nil && first != nil && again == nil && notes.lines.isEmpty)
            counter?.number = 7
            let second = property.takeChange()
            counter?.number = 8
            counter?.number = 7
            let back = property.takeChange()
            #expect(back == nil)
            second?()
            first?()
            #expect(notes.lines == ["number 5 7", "number 0 5"])
        }
        counter?.number = 9
        counter = nil
        let last = property.takeChange()
        #expect(last == nil)
    }

    @Test("delivers changes once, in their order, then in that of the observations")
    func order() {
        let (notes, counter, list) = (Notes(), Counter(), ObservationList())
        list.add(self.property(\.number, of: counter, notes, as: "first"))
        list.add(self.property(\.other, of: counter, notes, as: "other"))
        list.add(self.property(\.number, of: counter, notes, as: "last"))
        list.deliverChanges()
        #expect(notes.lines.isEmpty)
        counter.number = 1
        list.propertiesChanged()
        #expect(notes.lines.isEmpty)
        counter.number = 2
        counter.other = 3
        list.deliverChanges()
        #expect(notes.lines == ["first 0 1", "last 0 1", "first 1 2", "other 0 3", "last 1 2"])
        list.deliverChanges()
        #expect(notes.lines.count == 5)
    }

    @Test("delivers nothing to an observation that has ended")
    func removed() {
        let (notes, counter, list) = (Notes(), Counter(), ObservationList())
        let properties = ["first", "second"].map { self.property(\.number, of: counter, notes, as: $0) }
        for property in properties { list.add(property) }
        counter.number = 1
        list.propertiesChanged()
        list.remove(properties[0])
        #expect(!properties[0].isObserved && properties[1].isObserved)
        list.deliverChanges()
        #expect(notes.lines == ["second 0 1"])
        counter.number = 2
        list.remove(properties[0])
        list.deliverChanges()
        #expect(notes.lines == ["second 0 1", "second 1 2"])
        // By an observation, with its last reference.
        var observation: NSKeyValueObservation? = NSKeyValueObservation(properties[1], in: list)
        counter.number = 3
        list.propertiesChanged()
        #expect(observation != nil)
        observation = nil
        list.deliverChanges()
        #expect(notes.lines.count == 2 && !properties[1].isObserved)
    }

    @Test("keeps the 256 latest values for a slow reader")
    func latestValues() async {
        let property = self.property(\.number, of: Counter(), Notes(), as: "number")
        let values = PropertyValues<Int> { receive in
            for number in 0..<300 { receive(number) }
            return NSKeyValueObservation(property, in: nil)
        }
        var iterator = values.makeAsyncIterator()
        for number in 44..<300 {
            let next = await iterator.next()
            #expect(next == number)
        }
    }
}
#endif
