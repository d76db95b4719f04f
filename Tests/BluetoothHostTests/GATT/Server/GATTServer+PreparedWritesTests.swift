import Testing

@testable import BluetoothHost

@Suite("GATT server: prepared writes")
struct GATTServerPreparedWritesTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAW/BV-05-C Write Long Characteristic Value
        > 16 24 00 00 00 AA*18 < 17 24 00 00 00 AA*18
        > 16 24 00 12 00 BB*10 < 17 24 00 12 00 BB*10
        > 18 01 ? write 0024 @0 AA*18 BB*10
        ok < 19
        > 18 01 < 19                          # the queue is empty now

        ## GATT/SR/GAW/BI-09-C Write Long: Invalid Offset
        prepare 24 00 01 02 AA
        > 18 01 < 01 18 24 00 07
        prepare 24 00 05 00 AA
        > 18 01 ? write 0024 @5 AA
        ! 07 < 01 18 24 00 07
        prepare 18 00 01 00 00
        > 18 01 < 01 18 18 00 07

        ## writes Client Supported Features from their first octet on
        prepare 0B 00 01 00 01
        > 18 01 < 01 18 0B 00 07
        > 0A 0B 00 < 0B 00
        prepare 0B 00 00 00 01
        > 18 01 < 19
        > 0A 0B 00 < 0B 01

        ## GATT/SR/GAW/BI-11-C Write Long: Insufficient Authorization
        prepare 24 00 00 00 AA
        > 18 01 ? write 0024 @0 AA
        ! 08 < 01 18 24 00 08
        > 18 01 < 19

        ## GATT/SR/GAW/BI-33-C Write Long: Attribute Value Length Too Long
        exchange 517
        prepare 24 00 00 00 AA*512
        prepare 24 00 00 02 BB
        > 18 01 < 01 18 24 00 0D
        prepare 24 00 00 00 AA*512
        > 18 01 ? write 0024 @0 AA*512
        ! 0D < 01 18 24 00 0D
        prepare 18 00 00 00 01
        > 18 01 < 01 18 18 00 0D

        ## GATT/SR/GAW/BV-06-C Characteristic Value Reliable Writes
        prepare 24 00 00 00 AA BB
        prepare 13 00 00 00 CC
        > 18 01 ? write 0024 @0 AA BB ; 0013 @0 CC
        ok < 19

        ## GATT/SR/GAW/BV-10-C Nested Long Characteristic Value Reliable Writes
        prepare 24 00 00 00 AA*18
        prepare 13 00 00 00 CC*18
        prepare 24 00 12 00 BB*5
        prepare 13 00 12 00 DD*5
        > 16 13 00 02 00 EE < 17 13 00 02 00 EE  # over what is there: a part of its own
        > 18 01 ? write 0024 @0 AA*18 BB*5 ; 0013 @0 CC*18 DD*5 ; 0013 @2 EE
        ok < 19

        ## GATT/SR/GAW/BV-11-C Reliable Writes: nothing prepared
        > 18 01 < 19
        > 18 00 < 19
        > 18 02 < 01 18 00 00 04
        > 18 < 01 18 00 00 04
        > 16 24 00 00 < 01 16 00 00 04

        ## GATT/SR/GAW/BV-07-C Cancel Reliable Write
        prepare 24 00 00 00 AA
        > 18 00 < 19
        > 18 01 < 19

        ## GATT/SR/GAW/BV-09-C Write Long Characteristic Descriptors
        prepare 18 00 00 00 01
        prepare 18 00 01 00 00
        > 18 01 < 19 ? subscribed 0017

        ## writes values of the server only with the consent of the application
        prepare 18 00 00 00 01 00
        prepare 24 00 00 00 AA
        > 18 01 ? write 0024 @0 AA
        ! 11 < 01 18 24 00 11
        > 0A 18 00 < 0B 00 00                 # all or none
        prepare 18 00 00 00 01 00
        prepare 24 00 00 00 AA
        > 18 01 ? write 0024 @0 AA
        ok < 19 ? subscribed 0017

        ## keeps a queue for each client, which a refused part leaves as it was
        prepare 24 00 00 00 AA
        open 2
        > 18 01 < 19
        link 1
        > 16 10 00 00 00 BB < 01 16 10 00 03
        > 18 01 ? write 0024 @0 AA
        ok < 19

        ## takes a part that begins at octet 512 only if it is empty
        > 16 13 00 00 02 < 17 13 00 00 02     # 512
        > 18 01 ? write 0013 @512
        ok < 19
        prepare 13 00 00 02 AA
        > 18 01 < 01 18 13 00 0D
        > 16 13 00 FF 01 AA < 17 13 00 FF 01 AA  # 511
        > 18 01 ? write 0013 @511 AA
        ok < 19
        > 16 13 00 01 02 < 17 13 00 01 02     # 513
        > 18 01 < 01 18 13 00 07

        ## refuses to write to a service that was removed
        add
        prepare 37 00 00 00 AA
        remove
        > 18 01 < 01 18 00 00 01

        ## keeps the parts for other services when a service is removed
        add
        prepare 24 00 00 00 AA
        remove
        > 18 01 ? write 0024 @0 AA
        ok < 19

        ## joins a part with the last part for its attribute alone
        prepare 13 00 00 00 AA AA AA
        prepare 13 00 01 00 BB
        prepare 13 00 02 00 CC
        > 18 01 ? write 0013 @0 AA AA AA ; 0013 @1 BB CC
        ok < 19
        prepare 13 00 00 00 AA
        prepare 13 00 05 00 BB
        prepare 13 00 01 00 CC
        > 18 01 ? write 0013 @0 AA ; 0013 @5 BB ; 0013 @1 CC
        ok < 19

        ## hands no part to the application if one is refused
        prepare 24 00 00 00 AA
        prepare 13 00 01 02 BB
        > 18 01 < 01 18 13 00 07
        > 18 01 < 19

        ## makes no subscription whose service was removed while the application was asked
        add
        prepare 38 00 00 00 01 00
        prepare 18 00 00 00 01 00
        prepare 24 00 00 00 AA
        > 18 01 ? write 0024 @0 AA
        remove
        ok < 19 ? subscribed 0017
        """
    )

    private static let refusals =
        TitledScript.refusals(
            """
            GATT/SR/GAW/BI-07-C Write Long: Invalid Handle > 16 35 00 00 00 AA > 01
            GATT/SR/GAW/BI-08-C Write Long: Write Not Permitted > 16 10 00 00 00 AA > 03
            Write Long: Write Not Permitted: without response only > 16 15 00 00 00 AA > 03
            GATT/SR/GAW/BI-12-C Write Long: Insufficient Authentication > 16 1F 00 00 00 AA > 05
            """
        )
        + TitledScript.refusals(
            after: "with keySize 16\nsecurity authenticated 7",
            "GATT/SR/GAW/BI-13-C Write Long: Insufficient Encryption Key Size > 16 1F 00 00 00 AA > 0C"
        )

    @Test("follows the script", arguments: Self.scripts + Self.refusals)
    func script(_ script: TitledScript) throws { try script.runOnServer() }
}
