import Testing

@testable import CoreBluetooth

@Suite("Resumption of an app's attributes")
struct ResumptionTests {
    private static let hash = Data(repeating: 1, count: 16)

    @Test("decides by the Database Hash that the attributes were discovered with, if there is a link")
    func hashes() {
        for (known, present, verdict) in [
            (Self.hash, Self.hash, .unchanged), (Self.hash, Data(repeating: 2, count: 16), .changed),
            (Self.hash, nil, .changed), (nil, Self.hash, .unknown), (nil, nil, .unknown),
        ] as [(Data?, Data?, Resumption.Verdict)] {
            var resumption = Resumption()
            #expect(resumption.identified(known: known, present: present) == nil && !resumption.isUnderWay)
            resumption.begin()
            #expect(resumption.isUnderWay && !resumption.isComparing)
            #expect(resumption.identified(known: known, present: present) == verdict)
            #expect(resumption.isComparing == (known == nil) && resumption.isUnderWay == (known == nil))
        }
    }

    @Test("keeps compared attributes that were all found, up to the first missing one", arguments: [true, false])
    func comparison(isUnchanged: Bool) {
        var resumption = Resumption()
        resumption.begin()
        _ = resumption.identified(known: nil, present: Self.hash)
        let changes = [true, isUnchanged, isUnchanged].map { resumption.compared(isUnchanged: $0) }
        #expect(changes == [false, !isUnchanged, false])
        let isConfirmed = resumption.finishComparison()
        #expect(isConfirmed == isUnchanged && !resumption.isUnderWay)
    }
}
