/// Certificates and keys in PEM form for servers of tests; all but one are valid until 2124.
///
/// Made once with the commands of OpenSSL. The keys protect nothing.
package enum TestCertificates {
  /// An authority.
  package static let authority = """
    -----BEGIN CERTIFICATE-----
    MIIBhDCCASqgAwIBAgIUbQ7TLYCXBR7DCsyxaptIwQ7M1Z8wCgYIKoZIzj0EAwIw
    HzEdMBsGA1UEAwwUQXRvbGwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAw
    WhgPMjEyNDEyMzEwMDAwMDBaMB8xHTAbBgNVBAMMFEF0b2xsIHRlc3QgYXV0aG9y
    aXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEepa7C3IbrMlii0bx+jsMCciu
    /AjCsBO2FW6Iv5/TpRmqVMjbK1I1si5euS1rktG5ZmA2pEKMCaur2idwQFb9taNC
    MEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFI/X
    AQmAYzb4kU+BtFQZWeI1liBSMAoGCCqGSM49BAMCA0gAMEUCIQDTJpVly5775IJH
    Sjx0aUq6GNy4lkTQ2Lwj6B86SLT/CQIgKvcVcCpmUx/cIT84RGH2O7rQqEaJSZrs
    vRbCjliXpes=
    -----END CERTIFICATE-----

    """

  /// For `localhost` and 127.0.0.1, and the intermediate certificate that the authority signed.
  package static let server = """
    -----BEGIN CERTIFICATE-----
    MIIByDCCAW2gAwIBAgIUIShttShy4uQOm4X8pA46b0rhw1wwCgYIKoZIzj0EAwIw
    IjEgMB4GA1UEAwwXQXRvbGwgdGVzdCBpbnRlcm1lZGlhdGUwIBcNMjAwMTAxMDAw
    MDAwWhgPMjEyNDEyMzEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMG
    ByqGSM49AgEGCCqGSM49AwEHA0IABI9M3NKrNM+fv88qH4byEjLf6FiW4wWCgsHA
    RI9NE/6HybX854tuWecVnDo/w7mA26KQ3TaQI4/lGbxgc2tfhcejgYwwgYkwGgYD
    VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAkGA1UdEwQCMAAwCwYDVR0PBAQDAgeA
    MBMGA1UdJQQMMAoGCCsGAQUFBwMBMB8GA1UdIwQYMBaAFPMLMmd4pei5aVLjlm5H
    /GAFnXoOMB0GA1UdDgQWBBQA86f5dvErQnRCDfPYkgSfBkO9JDAKBggqhkjOPQQD
    AgNJADBGAiEA5OCQ+fQMlAEcldrWjg/wEiMAvb/QfXV3lcGiGm3acCcCIQDaIiH/
    n9m/sPyzDO/ejkUpCkaDdkD1Tefo+UncjtEPgw==
    -----END CERTIFICATE-----
    -----BEGIN CERTIFICATE-----
    MIIBqDCCAU6gAwIBAgIUH1vGyyAwdPNAkuca3TFAAw1qGtYwCgYIKoZIzj0EAwIw
    HzEdMBsGA1UEAwwUQXRvbGwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAw
    WhgPMjEyNDEyMzEwMDAwMDBaMCIxIDAeBgNVBAMMF0F0b2xsIHRlc3QgaW50ZXJt
    ZWRpYXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+wFMyxq8yYdp5bb63Ij0
    RbCE71Sdx1IAU9R120aZt9OMljHnurNm4e/KdDg/fgDKmJmU9jKxlrmcK3szkL6Z
    +qNjMGEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYE
    FPMLMmd4pei5aVLjlm5H/GAFnXoOMB8GA1UdIwQYMBaAFI/XAQmAYzb4kU+BtFQZ
    WeI1liBSMAoGCCqGSM49BAMCA0gAMEUCIBxToun4Bvf3Xsp9aFJ5PcUgMgXXaPDX
    9L+mzaJviSfyAiEA0vc4pSVGRtOGdDhONIlVmxFNDwnuRYGk8VGbj1QxjhM=
    -----END CERTIFICATE-----

    """

  /// The key of `server`.
  package static let serverKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc6k5DszMRL/GOeor
    7ZWOk8lkOtdAuWqfNMqtn9ttTc+hRANCAASPTNzSqzTPn7/PKh+G8hIy3+hYluMF
    goLBwESPTRP+h8m1/OeLblnnFZw6P8O5gNuikN02kCOP5Rm8YHNrX4XH
    -----END PRIVATE KEY-----

    """

  /// Another one for `localhost` and 127.0.0.1.
  package static let renewed = """
    -----BEGIN CERTIFICATE-----
    MIIBwzCCAWqgAwIBAgIUKgxiL89VXXY8l78Sx1fZir6c+TQwCgYIKoZIzj0EAwIw
    HzEdMBsGA1UEAwwUQXRvbGwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAw
    WhgPMjEyNDEyMzEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqG
    SM49AgEGCCqGSM49AwEHA0IABD5/bAfj7LynQkMdY483zkV9LmEoYxkIsIbvk2eA
    hTIdhx29ZwlpKGdcmksAylG/d9DOukUKOgK+V8tPlKaxopWjgYwwgYkwGgYDVR0R
    BBMwEYIJbG9jYWxob3N0hwR/AAABMAkGA1UdEwQCMAAwCwYDVR0PBAQDAgeAMBMG
    A1UdJQQMMAoGCCsGAQUFBwMBMB8GA1UdIwQYMBaAFI/XAQmAYzb4kU+BtFQZWeI1
    liBSMB0GA1UdDgQWBBT1oQIYhvJMa9tCZbp3JqvAGGWUHDAKBggqhkjOPQQDAgNH
    ADBEAiAIuGsE7xe082eNfmX/EPf5D4ZWaPoev6przQ2GeH25GwIgNcSKAZyILB09
    cZkI9bTrwROK5uSiRbtCM+GgqE7ts+k=
    -----END CERTIFICATE-----

    """

  /// The key of `renewed`.
  package static let renewedKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLZW7lJAH+8zuirng
    vAuNd/CkU23mRxm+Zoc9NySqK/uhRANCAAQ+f2wH4+y8p0JDHWOPN85FfS5hKGMZ
    CLCG75NngIUyHYcdvWcJaShnXJpLAMpRv3fQzrpFCjoCvlfLT5SmsaKV
    -----END PRIVATE KEY-----

    """

  /// For `localhost` and 127.0.0.1; expired in February 2020.
  package static let expired = """
    -----BEGIN CERTIFICATE-----
    MIIBwTCCAWigAwIBAgIUB6TihCn/UKlAPIe7EfclcCD/wt8wCgYIKoZIzj0EAwIw
    HzEdMBsGA1UEAwwUQXRvbGwgdGVzdCBhdXRob3JpdHkwHhcNMjAwMTAxMDAwMDAw
    WhcNMjAwMjAxMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjO
    PQIBBggqhkjOPQMBBwNCAAQN56k8bJc7f0ciQcVOBT8h+72AeCJz+Xda14do6MWv
    GR54DwFkmMo8leI1DmsZK/DPtNmWJ3fk208SL1Dl6y+2o4GMMIGJMBoGA1UdEQQT
    MBGCCWxvY2FsaG9zdIcEfwAAATAJBgNVHRMEAjAAMAsGA1UdDwQEAwIHgDATBgNV
    HSUEDDAKBggrBgEFBQcDATAfBgNVHSMEGDAWgBSP1wEJgGM2+JFPgbRUGVniNZYg
    UjAdBgNVHQ4EFgQUiVhSWeX25WX3Ngl0Q8r7Xf23yjQwCgYIKoZIzj0EAwIDRwAw
    RAIgGK7m1vKf7l4p+DRbRvw7Gh9b0V9yWfQTQdtFE5ndpygCIGrHV9OJmkYdVS8u
    63BekrwYk4HieHR4mcCIVxMNnCcw
    -----END CERTIFICATE-----

    """

  /// The key of `expired`.
  package static let expiredKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDBlvqh2WzMzwsGft
    s7DLd+ep1ppnSQr9v+EF+gqmk9KhRANCAAQN56k8bJc7f0ciQcVOBT8h+72AeCJz
    +Xda14do6MWvGR54DwFkmMo8leI1DmsZK/DPtNmWJ3fk208SL1Dl6y+2
    -----END PRIVATE KEY-----

    """

  /// For `other.example`.
  package static let otherName = """
    -----BEGIN CERTIFICATE-----
    MIIBxjCCAWygAwIBAgIUbV1sQ2WBdL1RvrjhaWaV5Lw3EcMwCgYIKoZIzj0EAwIw
    HzEdMBsGA1UEAwwUQXRvbGwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAw
    WhgPMjEyNDEyMzEwMDAwMDBaMBgxFjAUBgNVBAMMDW90aGVyLmV4YW1wbGUwWTAT
    BgcqhkjOPQIBBggqhkjOPQMBBwNCAAS4bbhHD0q1uTInTaOPM17v2W7X95UDLrmG
    6t4fOkLYHE9Dk+YpSgdboC3ODjgwd7dXv5JRBBv2YUcr8Cp+zYlBo4GKMIGHMBgG
    A1UdEQQRMA+CDW90aGVyLmV4YW1wbGUwCQYDVR0TBAIwADALBgNVHQ8EBAMCB4Aw
    EwYDVR0lBAwwCgYIKwYBBQUHAwEwHwYDVR0jBBgwFoAUj9cBCYBjNviRT4G0VBlZ
    4jWWIFIwHQYDVR0OBBYEFGG3od3T3YpoSBrcUWuKEZBI5SK3MAoGCCqGSM49BAMC
    A0gAMEUCIHHA5xEaUhx9js7mehh/gEoWFhJfuQqtBSP5LjsnEuHzAiEA5L+Z2dhG
    TenDVa0zDzRzQcxXeao0Eq5YSi1gYt3b3C4=
    -----END CERTIFICATE-----

    """

  /// The key of `otherName`.
  package static let otherNameKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNia1KUkqx7kVbd7o
    bJ32O1DYWYIdr5J8jNRVq6O1ePShRANCAAS4bbhHD0q1uTInTaOPM17v2W7X95UD
    LrmG6t4fOkLYHE9Dk+YpSgdboC3ODjgwd7dXv5JRBBv2YUcr8Cp+zYlB
    -----END PRIVATE KEY-----

    """

  /// For `localhost` and 127.0.0.1, signed by another authority.
  package static let unknown = """
    -----BEGIN CERTIFICATE-----
    MIIBwTCCAWegAwIBAgIUaVdYMldRP/KuBmE2s9TrNXA3IF4wCgYIKoZIzj0EAwIw
    HDEaMBgGA1UEAwwRQW5vdGhlciBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgP
    MjEyNDEyMzEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49
    AgEGCCqGSM49AwEHA0IABGiewnPePVSn1P3Yr5krXoKQ8VldEkrzeN0lsmngQxMm
    Pe+qcH3BiM8oMG7O2119a1QuiNQ4fzTKN7Hs2wR/oK+jgYwwgYkwGgYDVR0RBBMw
    EYIJbG9jYWxob3N0hwR/AAABMAkGA1UdEwQCMAAwCwYDVR0PBAQDAgeAMBMGA1Ud
    JQQMMAoGCCsGAQUFBwMBMB8GA1UdIwQYMBaAFHNkTmnzqwQUethNML/90H5qMUGV
    MB0GA1UdDgQWBBRZNoMoDMUQujKItMRfYzL5PqrZgzAKBggqhkjOPQQDAgNIADBF
    AiBR0B4RVGSEALurnB0PYGmfpb9DbRHNSDKG3SdH98NLwgIhANcqB+0hydYeLw49
    ioBQu2Ox/nQQ248LH7OC/vyGzQpk
    -----END CERTIFICATE-----

    """

  /// The key of `unknown`.
  package static let unknownKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaWnTW7CFXiaI++6i
    QZNHvnn/+PVZbeqJBSMnmwhRe2ehRANCAARonsJz3j1Up9T92K+ZK16CkPFZXRJK
    83jdJbJp4EMTJj3vqnB9wYjPKDBuzttdfWtULojUOH80yjex7NsEf6Cv
    -----END PRIVATE KEY-----

    """
}
