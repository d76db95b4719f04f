import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Time units")
struct TimeUnitsTests {
    @Test("takes the nearest number in range")
    func clamping() {
        #expect(ConnectionInterval(.zero).rawValue == 6)
        #expect(ConnectionInterval(.hours(1)).rawValue == 3_200)
        #expect(ConnectionInterval(.nanoseconds(.max)).rawValue == 3_200)
        #expect(ConnectionInterval(.seconds(-1)).rawValue == 6)
        #expect(ConnectionInterval(.microseconds(8_124)).rawValue == 6)
        #expect(ConnectionInterval(.microseconds(8_125)).rawValue == 7)
    }

    @Test("takes a time exactly, or not at all")
    func exactly() {
        #expect(ConnectionInterval(exactly: .microseconds(7_500))?.rawValue == 6)
        #expect(ConnectionInterval(exactly: .microseconds(7_501)) == nil)
        #expect(ConnectionInterval(exactly: .microseconds(6_250)) == nil)
        #expect(ConnectionInterval(exactly: .seconds(-1)) == nil)
    }

    @Test("keeps a number out of range, and says so")
    func outOfRange() {
        #expect(!ConnectionInterval(rawValue: 5).isInRange)
        #expect(ConnectionInterval(rawValue: 5).rawValue == 5)
        #expect(!ConnectionInterval(rawValue: 3_201).isInRange)
        #expect(AdvertisingInterval(rawValue: 0x4000).isInRange)
    }

    @Test("every field has its unit and range (Vol 4, Part E, 7.8)")
    func unitsAndRanges() {
        func check<Time: BluetoothTime>(_: Time.Type, _ microseconds: Int64, _ range: ClosedRange<Time.RawValue>) {
            let name = "\(Time.self)"
            #expect(Time(rawValue: 1).timeAmount == .microseconds(microseconds), "\(name)")
            for edge in [range.lowerBound, range.upperBound] {
                #expect(Time(rawValue: edge).isInRange, "\(name) \(edge)")
                #expect(Time(Time(rawValue: edge).timeAmount).rawValue == edge, "\(name) \(edge)")
                #expect(Time(exactly: Time(rawValue: edge).timeAmount)?.rawValue == edge, "\(name) \(edge)")
            }
            if range.lowerBound > 0 {
                let below = Time(rawValue: range.lowerBound - 1)
                #expect(!below.isInRange, "\(name)")
                #expect(Time(exactly: below.timeAmount) == nil, "\(name)")
                #expect(Time(below.timeAmount).rawValue == range.lowerBound, "\(name)")
            }
            if range.upperBound < .max {
                let above = Time(rawValue: range.upperBound + 1)
                #expect(!above.isInRange, "\(name)")
                #expect(Time(exactly: above.timeAmount) == nil, "\(name)")
                #expect(Time(above.timeAmount).rawValue == range.upperBound, "\(name)")
            }
        }
        check(ConnectionInterval.self, 1_250, 0x0006...0x0C80)
        check(SupervisionTimeout.self, 10_000, 0x000A...0x0C80)
        check(ConnectionEventLength.self, 625, 0x0000...0xFFFF)
        check(AdvertisingInterval.self, 625, 0x0020...0x4000)
        check(ExtendedAdvertisingInterval.self, 625, 0x00_0020...0xFF_FFFF)
        check(AdvertisingDuration.self, 10_000, 0x0000...0xFFFF)
        check(ScanInterval.self, 625, 0x0004...0x4000)
        check(ExtendedScanInterval.self, 625, 0x0004...0xFFFF)
        check(PeriodicAdvertisingInterval.self, 1_250, 0x0006...0xFFFF)
        check(ScanPeriod.self, 1_280_000, 0x0000...0xFFFF)
        check(AuthenticatedPayloadTimeout.self, 10_000, 0x0001...0xFFFF)
        check(ResolvablePrivateAddressTimeout.self, 1_000_000, 0x0001...0x0E10)
    }

    @Test("has a text with its unit, and is ordered")
    func description() {
        #expect(ConnectionInterval(rawValue: 6).description == "7.5 ms")
        #expect(ConnectionInterval(rawValue: 24).description == "30 ms")
        #expect(ScanInterval(rawValue: 5).description == "3.125 ms")
        #expect(AdvertisingInterval(rawValue: 33).description == "20.625 ms")
        #expect(ConnectionInterval(rawValue: 6) < ConnectionInterval(rawValue: 7))
    }

    @Test("rounds to the nearest time in the range, in every unit")
    func rounding() {
        func check<Time: BluetoothTime>(_: Time.Type) {
            let (lower, upper) = (Time.range.lowerBound, Time.range.upperBound)
            var numbers: Set<Time.RawValue> = [0, 1, 2, 3, 7, 8, 15, 16, 100, 999, lower, lower + 1, upper - 1, upper]
            if lower > 0 { numbers.insert(lower - 1) }
            numbers.formUnion([upper &+ 1, .max])
            let unit = Time.unit.nanoseconds
            var times: Set<Int64> = [.min, -1, 0, 1, .max, .max - 1]
            for number in numbers.sorted() {
                let time = Time(rawValue: number)
                for change in [-unit, -1, 0, 1, unit / 2 - 1, unit / 2, unit / 2 + 1, unit - 1] {
                    times.insert(time.timeAmount.nanoseconds + change)
                }
            }
            for nanoseconds in times.sorted() {
                let amount = TimeAmount.nanoseconds(nanoseconds)
                let nearest = Time(amount)
                #expect(nearest.isInRange)
                if let exact = Time(exactly: amount) { #expect(exact == nearest && exact.timeAmount == amount) }
                let range = Time(rawValue: lower).timeAmount.nanoseconds...Time(rawValue: upper).timeAmount.nanoseconds
                guard range.contains(nanoseconds) else { continue }
                #expect(abs(nearest.timeAmount.nanoseconds - nanoseconds) * 2 <= unit)
            }
        }
        check(ConnectionInterval.self)
        check(SupervisionTimeout.self)
        check(ConnectionEventLength.self)
        check(AdvertisingInterval.self)
        check(ExtendedAdvertisingInterval.self)
        check(AdvertisingDuration.self)
        check(ScanInterval.self)
        check(ExtendedScanInterval.self)
        check(PeriodicAdvertisingInterval.self)
        check(ScanPeriod.self)
        check(AuthenticatedPayloadTimeout.self)
        check(ResolvablePrivateAddressTimeout.self)
    }
}
